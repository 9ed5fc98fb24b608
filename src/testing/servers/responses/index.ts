/** The Responses API, for Codex (0.169.0). */
import type { Protocol } from "../server.ts"
import { responsesWire } from "./reply.ts"
import { type ResponsesBody, readResponses } from "./request.ts"

export const responses: Protocol<ResponsesBody> = { read: readResponses, wire: responsesWire }
