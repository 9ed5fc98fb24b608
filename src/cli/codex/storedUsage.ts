/**
 * Usage in rollouts of Codex (0.169.0): a record for each answer, with the sum of its turn so far. Those of sub-agents are
 * in rollouts of their own, and name the session that began them; the model stands at the beginning of the turn.
 */
import { Result } from "effect"
import type { StoredFilesUsage, StoredUsage } from "../Stored.ts"
import { at, textAt, timeAt } from "../storedLines.ts"
import { rolloutPaths } from "./rollouts.ts"
import { difference, nothing, totalsOf } from "./run/totals.ts"
import { decodeTotals } from "./wire.ts"

const usageOf = (record: unknown) => {
  const totals = decodeTotals(at(record, "turn_token_usage"))
  return Result.isSuccess(totals) ? difference(totalsOf(totals.success), nothing) : undefined
}

const read = (line: unknown, sessionId: string): StoredUsage | undefined => {
  const [type, payload] = [textAt(line, "type"), at(line, "payload")]
  const [time, id] = [timeAt(line, "timestamp"), textAt(payload, "turn_id")]
  if (time === undefined || id === undefined) return undefined
  if (type === "turn_context") return { id, at: time, model: textAt(payload, "model") }
  if (type !== "token_usage_record") return undefined
  const session = textAt(payload, "session_id") ?? textAt(payload, "thread_id")
  return session === sessionId ? { id, at: time, usage: usageOf(payload) } : undefined
}

export const usage: StoredFilesUsage = {
  marks: ['"token_usage_record"', '"turn_context"'],
  read,
  agents: () => rolloutPaths.slice(0, 1)
}
