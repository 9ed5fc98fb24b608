/** Reports the usage of a run or turn to the gates that count it. */
import { Effect } from "effect"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent, UsageEvent } from "../../contract/AgentEvent.ts"
import type { Fork } from "./admission.ts"

/** Calls `onUsage` with the newest sum, one call after the other, until one fails. */
export const makeUsageMeter = (
  onUsage: (usage: UsageEvent) => Effect.Effect<void, FailureReason>,
  fork: Fork,
  refuse: (reason: FailureReason) => void
) => {
  let newest: UsageEvent | undefined
  let isCounting = false
  const count: Effect.Effect<void, FailureReason> = Effect.suspend(() => {
    const usage = newest
    newest = undefined
    isCounting = usage !== undefined
    return usage === undefined ? Effect.void : Effect.andThen(onUsage(usage), count)
  })
  return (event: AgentEvent) => {
    if (event.type !== "usage" || event.parentToolId !== undefined) return
    newest = event
    if (isCounting) return
    isCounting = true
    fork(Effect.catch(count, (reason) => Effect.sync(() => refuse(reason))))
  }
}
