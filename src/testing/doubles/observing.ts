/** Calls observers for scripted runs, as the engine does for processes. */
import { Clock, Effect } from "effect"
import type { CommonParams } from "../../agents/engine/prepare.ts"
import { resultOfNothing } from "../../agents/engine/result.ts"
import type { Cli } from "../../cli/Cli.ts"
import { Aborted, type FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Observer } from "../../contract/Observer.ts"
import { type End, type SessionStart, type Start, withoutSecrets } from "../../contract/Start.ts"

/** The end of a run without one, such as one whose caller has left. */
export const endOfNothing = (failure: FailureReason): End => ({
  result: resultOfNothing(failure),
  failure,
  hadOutput: false
})

export const startOfScript = <Type extends "run" | "session", Params extends CommonParams>(
  type: Type,
  cli: Cli,
  params: Params
) => ({
  type,
  id: crypto.randomUUID(),
  cli: cli.id,
  workingDirectory: params.workingDirectory ?? "/",
  limits: {},
  params: withoutSecrets(params)
})

const asIs = (text: string) => text

/** Passes events on, one go each. */
export const observing = (observer: Observer, start: Start) => {
  const observation = observer.begin(start, asIs)
  let position = 0
  return (events: ReadonlyArray<AgentEvent>) => {
    observation?.events?.({ position, atMs: 0, events })
    position += events.length
  }
}

/** The same for a turn in its scope: ends with its `turn_done`, or as aborted. */
export const observingTurn = Effect.fnUntraced(function* (observer: Observer, session: SessionStart, prompt: string) {
  const { cli, workingDirectory } = session
  const start: Start = { type: "turn", id: crypto.randomUUID(), cli, workingDirectory, prompt, session }
  const clock = yield* Clock.Clock
  const observation = observer.begin(start, asIs)
  let isOver = false
  const end = (ended: End) => {
    if (isOver) return
    isOver = true
    observation?.end?.(ended)
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => end(endOfNothing(new Aborted()))))
  return (events: ReadonlyArray<AgentEvent>) => {
    observation?.events?.({ position: 0, atMs: clock.currentTimeMillisUnsafe(), events })
    for (const event of events) {
      if (event.type === "turn_done") end({ result: event.result, failure: undefined, hadOutput: true })
    }
  }
})
