/** The agent's plan, told whole each time it changes → a notice of how far it has come. */
import { Result } from "effect"
import type { NoticeEvent } from "../../contract/AgentEvent.ts"
import { decodePlan } from "./wire.ts"

/** Undefined: this is no plan. */
export const planNotice = (told: unknown): ReadonlyArray<NoticeEvent> | undefined => {
  const decoded = decodePlan(told)
  if (Result.isFailure(decoded)) return undefined
  const { entries } = decoded.success
  const done = entries.filter(({ status }) => status === "completed").length
  const current = entries.find(({ status }) => status === "in_progress")
  const message = `Plan: ${done} of ${entries.length} done${current === undefined ? "" : `, now ${current.content}`}`
  return [{ type: "notice", kind: "progress", message, data: { entries } }]
}
