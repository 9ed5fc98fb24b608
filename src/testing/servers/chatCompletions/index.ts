/** The chat completions that many providers offer, for OpenCode (1.18.33) and others: `baseURL` is `url` and `/v1`. */
import type { Protocol } from "../server.ts"
import { chatWire } from "./reply.ts"
import { type ChatBody, readChat } from "./request.ts"

export const chatCompletions: Protocol<ChatBody> = { read: readChat, wire: chatWire }
