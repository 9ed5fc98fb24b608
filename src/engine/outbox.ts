/**
 * The one way out for events: in order, and after the one `done` nothing. Keeps the tally on the way and makes the
 * result of it.
 */
import { Clock, Effect } from "effect"
import type { RunReport } from "../cli/Decoder.ts"
import { startStopwatch } from "../clock/stopwatch.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { End } from "../contract/Start.ts"
import { errorEvent } from "./failure.ts"
import { type Ending, makeResult } from "./judge.ts"
import { makeOutlet, type Outlet } from "./outlet.ts"
import { makeTally } from "./tally.ts"

export interface Outbox {
  /** `bytes`: about what the event holds in memory, where that is much. */
  readonly give: (event: AgentEvent, bytes?: number) => void
  /** `error` where there was one, then `done`, which the gates may hold back for a while: `outlet.passed`. */
  readonly conclude: (ending: Ending, report: RunReport, stderr: string) => void
  readonly isToolOpen: () => boolean
  readonly ended: () => End | undefined
  readonly outlet: Outlet
}

/** About what an event holds in memory, where that is little. */
export const smallEventBytes = 500

export const makeOutbox = Effect.fnUntraced(function* (emit: (event: AgentEvent, bytes: number) => void) {
  const elapsedMs = startStopwatch(yield* Clock.Clock)
  const tally = makeTally()
  const outlet = makeOutlet()
  let ended: End | undefined
  const pass = (event: AgentEvent, bytes: number) =>
    outlet.give(event, () => {
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
      const result = makeResult({ ending, text: tally.text(), durationMs: elapsedMs(), report, stderr })
      ended = { result, failure: ending.failure, hadOutput: tally.hadOutput() }
      outlet.settle(ended)
      // Its text is that of the tally: on disk it would be written, and read a second time.
      pass({ type: "done", result }, 0)
    },
    isToolOpen: tally.isToolOpen,
    ended: () => ended,
    outlet
  }
  return outbox
})
