/** Session updates that are events by themselves: text of the model, and its plan. Undefined: of an unknown form. */
import { Predicate, Result } from "effect"
import type { PlanEvent } from "../../contract/ToolEvent.ts"
import { planOf } from "../todoList.ts"
import { decodeChunk } from "./wire.ts"

/** The text of a piece of an answer or a thought. */
export const chunkText = (update: unknown): string | undefined => {
  const decoded = decodeChunk(update)
  return Result.isSuccess(decoded) ? decoded.success.content.text : undefined
}

/** The whole plan comes each time it changes. */
export const planUpdate = (update: unknown): ReadonlyArray<PlanEvent> | undefined => {
  const plan = planOf(Predicate.hasProperty(update, "entries") ? update.entries : undefined, "content")
  return plan.length === 0 ? undefined : plan
}
