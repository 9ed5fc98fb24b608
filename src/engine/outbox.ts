/**
 * Emits the events of a run: in order, and nothing after `done`. Tallies them, and makes the result of the tally.
 */
import { Clock, Effect } from "effect"
import type { RunReport } from "../cli/Decoder.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { End } from "../contract/Start.ts"
import { errorEvent } from "./failure.ts"
import type { Ending } from "./judge.ts"
import { makeOutlet, type Outlet } from "./outlet.ts"
import { makeResultTally } from "./tally.ts"

export interface Outbox {
  /** `bytes`: estimated memory of a large event. */
  readonly give: (event: AgentEvent, bytes?: number) => void
  /** Emits `error` for a failure, then `done`, which the gates may delay: `outlet.passed`. */
  readonly conclude: (ending: Ending, report: RunReport, stderr: string) => void
  readonly isToolOpen: () => boolean
  readonly ended: () => End | undefined
  readonly outlet: Outlet
}

/** Estimated memory of a small event. */
export const smallEventBytes = 500

export const makeOutbox = Effect.fnUntraced(function* (emit: (event: AgentEvent, bytes: number) => void) {
  const tally = makeResultTally(yield* Clock.Clock)
  const outlet = makeOutlet()
  let ended: End | undefined
  const pass = (event: AgentEvent, bytes: number) =>
    outlet.give(event, bytes, () => {
      tally.push(event)
      emit(event, bytes)
    })
  const give = (event: AgentEvent, bytes = smallEventBytes) => {
    if (ended === undefined) pass(event, bytes)
  }
  const outbox: Outbox = {
    give,
    conclude: (ending, report, stderr) => {
      if (ended !== undefined) return
      outlet.close()
      if (ending.failure !== undefined) give(errorEvent(ending.failure))
      ended = tally.end(ending, report, stderr)
      outlet.settle(ended)
      // Kept in memory: its text is that of the tally, and would be written to disk and read again.
      pass({ type: "done", result: ended.result }, 0)
    },
    isToolOpen: tally.isToolOpen,
    ended: () => ended,
    outlet
  }
  return outbox
})
