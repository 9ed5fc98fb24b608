/** The facts of MCP messages that a live session needs in order to leave none unanswered (2.1.328). */
import { Predicate } from "effect"

const field = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)

/** A notification needs an answer, too: the one that the CLI takes for it. */
export const mcpAnswer = (message: unknown, reply: unknown) => {
  if (reply !== undefined) return reply
  const id = field(message, "id")
  if (id == null) return { jsonrpc: "2.0", result: {}, id: 0 }
  return { jsonrpc: "2.0", id, error: { code: -32603, message: "The server gave no answer" } }
}

/** Whether the notification cancels the request. */
export const cancelledBy = (notification: unknown, request: unknown) => {
  if (field(notification, "method") !== "notifications/cancelled") return false
  const id = field(field(notification, "params"), "requestId")
  return id != null && field(request, "id") === id
}
