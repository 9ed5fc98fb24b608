/** The Messages API, for Claude Code (2.1.328). */
import type { Protocol } from "../server.ts"
import { messagesWire } from "./reply.ts"
import { type MessagesBody, readMessages } from "./request.ts"

export const messages: Protocol<MessagesBody> = {
  read: readMessages,
  wire: messagesWire,
  known: {
    "/v1/messages/count_tokens": { input_tokens: 100 },
    "/v1/models": { data: [], has_more: false, first_id: null, last_id: null },
    "/api/hello": { message: "hello" }
  }
}
