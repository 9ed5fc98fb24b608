/** Session updates that are events by themselves: text of the model, and its plan. Undefined: of an unknown form. */
import { Result } from "effect"
import type { NoticeEvent } from "../../contract/AgentEvent.ts"
import { decodeChunk, decodePlan } from "./wire.ts"

/** The text of a piece of an answer or a thought. */
export const chunkText = (update: unknown): string | undefined => {
  const decoded = decodeChunk(update)
  return Result.isSuccess(decoded) ? decoded.success.content.text : undefined
}

/** The whole plan comes each time it changes → a notice of how far it has come. */
export const planNotice = (update: unknown): ReadonlyArray<NoticeEvent> | undefined => {
  const decoded = decodePlan(update)
  if (Result.isFailure(decoded)) return undefined
  const { entries } = decoded.success
  const done = entries.filter(({ status }) => status === "completed").length
  const current = entries.find(({ status }) => status === "in_progress")
  const message = `Plan: ${done} of ${entries.length} done${current === undefined ? "" : `, now ${current.content}`}`
  return [{ type: "notice", kind: "progress", message, data: { entries } }]
}
