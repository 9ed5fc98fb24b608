/**
 * Which session a line of Claude Code belongs to (2.1.330). Only lines of the conversation count: what hooks print
 * before `init` is older than the session, and a run that failed before it makes an id up.
 */
import { Predicate } from "effect"
import type { LineSession } from "../../Cli.ts"

const spoken: ReadonlySet<unknown> = new Set(["assistant", "user", "stream_event"])

export const lineSession = (line: unknown): LineSession | undefined => {
  if (!Predicate.isObject(line)) return undefined
  const { type, subtype, session_id, parent_tool_use_id, is_error } = line as Readonly<Record<string, unknown>> // any keys
  // `/clear`: the lines of the next turn have another id, which is not in this line.
  if (type === "conversation_reset") return { mayChange: true }
  if (typeof session_id !== "string" || parent_tool_use_id != null) return undefined
  const isInit = type === "system" && subtype === "init"
  const isSuccess = type === "result" && is_error === false
  return isInit || isSuccess || spoken.has(type) ? { sessionId: session_id } : undefined
}
