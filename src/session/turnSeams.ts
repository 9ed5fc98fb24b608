/** The gates and observers of a session's turns. */
import { Clock, type Duration, Effect, FiberSet } from "effect"
import type { SessionStart, TurnStart } from "../contract/Start.ts"
import { admit, concerns, type Fork } from "../engine/admission.ts"
import { Gates } from "../engine/Gates.ts"
import { Observers } from "../engine/Observer.ts"
import { makeWatchers } from "../engine/watchers.ts"
import type { TurnSeams } from "./admitting.ts"
import type { Turn, Turns } from "./turns.ts"

export interface TurnSeamsOptions {
  readonly session: SessionStart
  readonly turns: Turns
  readonly grace: Duration.Input
  readonly background: Fork
}

export const turnSeams = Effect.fnUntraced(function* ({ session, turns, grace, background }: TurnSeamsOptions) {
  const gates = (yield* Gates).filter((gate) => concerns(gate, "turn"))
  const observers = yield* Observers
  const clock = yield* Clock.Clock
  const { cli, workingDirectory } = session

  const startOf = ({ id, prompt }: Turn): TurnStart => {
    const sessionId = turns.sessionId()
    const named = sessionId === undefined ? {} : { sessionId }
    return { type: "turn", id, cli, workingDirectory, prompt, session, ...named }
  }

  /** A live turn spawns nothing: it starts as soon as it is admitted. */
  const admitTurn = (turn: Turn) =>
    Effect.tap(
      admit(gates, startOf(turn), (notice) => turns.giveTo(turn, notice), background),
      ({ starting }) => starting
    )

  const seams: TurnSeams = {
    observe: (turn) => {
      if (observers.length > 0) turn.watchers = makeWatchers({ observers, start: startOf(turn), clock, background })
    },
    admit: gates.length === 0 ? undefined : admitTurn,
    scope: yield* Effect.scope,
    fork: yield* FiberSet.makeRuntime<never, void, never>(),
    grace
  }
  return seams
})
