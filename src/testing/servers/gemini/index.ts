/** The Gemini API, for Gemini CLI (0.61.0). */
import type { Protocol } from "../server.ts"
import { geminiWire } from "./reply.ts"
import { type GeminiBody, readGemini } from "./request.ts"

export const gemini: Protocol<GeminiBody> = { read: readGemini, wire: geminiWire }
