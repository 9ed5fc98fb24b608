/**
 * The one way out for events: in order, and after the one `done` nothing. Keeps the tally on the way and makes the
 * result of it.
 */
import { Clock, Effect } from "effect"
import type { RunReport } from "../cli/Cli.ts"
import { startStopwatch } from "../clock/stopwatch.ts"
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import { errorEvent } from "./failure.ts"
import { type Ending, makeResult } from "./judge.ts"
import { makeTally } from "./tally.ts"

/** How a run came out, for both doors. */
export interface Ended {
  readonly result: AgentRunResult
  readonly failure: FailureReason | undefined
  readonly hadOutput: boolean
}

export interface Outbox {
  /** `bytes`: about what the event holds in memory, where that is much. */
  readonly give: (event: AgentEvent, bytes?: number) => void
  /** `error` where there was one, then `done`. */
  readonly conclude: (ending: Ending, report: RunReport, stderr: string) => void
  readonly isToolOpen: () => boolean
  readonly ended: () => Ended | undefined
}

/** About what an event holds in memory, where that is little. */
export const smallEventBytes = 500

export const makeOutbox = Effect.fnUntraced(function* (emit: (event: AgentEvent, bytes: number) => void) {
  const elapsedMs = startStopwatch(yield* Clock.Clock)
  const tally = makeTally()
  let ended: Ended | undefined
  const give = (event: AgentEvent, bytes = smallEventBytes) => {
    if (ended !== undefined) return
    tally.push(event)
    emit(event, bytes)
  }
  const outbox: Outbox = {
    give,
    conclude: (ending, report, stderr) => {
      if (ended !== undefined) return
      if (ending.failure !== undefined) give(errorEvent(ending.failure))
      const result = makeResult({ ending, text: tally.text(), durationMs: elapsedMs(), report, stderr })
      // Its text is that of the tally: on disk it would be written, and read a second time.
      give({ type: "done", result }, 0)
      ended = { result, failure: ending.failure, hadOutput: tally.hadOutput() }
    },
    isToolOpen: tally.isToolOpen,
    ended: () => ended
  }
  return outbox
})
