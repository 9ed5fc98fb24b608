/** The gates and observers of a session's turns. */
import { Clock, Effect, type Scope } from "effect"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { SessionStart, TurnStart } from "../../contract/Start.ts"
import { type Admission, admit, concerns, type Fork } from "../engine/admission.ts"
import { gatesInOrder, observersInOrder } from "../engine/ownSeams.ts"
import { makeWatchers } from "../engine/watchers.ts"
import type { Turn } from "./turn.ts"
import type { Turns } from "./turns.ts"

/** The gates of turns. */
export interface TurnAdmitter {
  readonly admit: (turn: Turn) => Effect.Effect<Admission, FailureReason, Scope.Scope>
  /** The scope of the session. */
  readonly scope: Scope.Scope
  readonly fork: Fork
  /** Time for a turn to end after an interrupt by a gate. */
  /** In milliseconds. */
  readonly grace: number
}

export interface TurnSeams {
  /** Called when the caller has requested a turn. Undefined without observers. */
  readonly observe: ((turn: Turn) => void) | undefined
  /** Undefined if no gate is asked about turns: they start at once. */
  readonly admitter: TurnAdmitter | undefined
}

export interface TurnSeamsOptions {
  readonly session: SessionStart
  readonly turns: Turns
  readonly fork: Fork
  /** In milliseconds. */
  readonly grace: number
  readonly background: Fork
  /** Removes the secrets of the session from a text. */
  readonly redact: (text: string) => string
}

export const turnSeams = Effect.fnUntraced(function* (options: TurnSeamsOptions) {
  const { session, turns, fork, grace, background, redact } = options
  const gates = (yield* gatesInOrder).filter((gate) => concerns(gate, "turn"))
  const observers = yield* observersInOrder
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
      admit(gates, startOf(turn), (notice) => turns.giveNotice(notice, turn), background),
      ({ starting = Effect.void }) => starting
    )

  const observe = (turn: Turn) => {
    turn.watchers = makeWatchers({ observers, start: startOf(turn), clock, background, redact })
  }

  const scope = yield* Effect.scope
  const seams: TurnSeams = {
    observe: observers.length === 0 ? undefined : observe,
    admitter: gates.length === 0 ? undefined : { admit: admitTurn, scope, fork, grace }
  }
  return seams
})
