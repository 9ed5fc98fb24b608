/**
 * A live session from its opening to its `done`: its events are shown while somebody says what shall be done, until
 * either has come to an end.
 */
import { Effect, Fiber, Result, Scope, Stream } from "effect"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { errorEvent, failedRun } from "../../engine/failure.ts"
import { type Ending, endingOf } from "../exit.ts"

export interface Talk<E, R> {
  /** Takes all events, `done` last, and gives how the session came out. */
  readonly show: (events: Stream.Stream<AgentEvent>) => Effect.Effect<Ending, E, R>
  /** When it returns, the session is closed. */
  readonly drive: Effect.Effect<void, E, R>
}

export interface HoldOptions<E, R, O> {
  /** Fails with what is wrong with the parameters, or with what the agent gave until it failed. */
  readonly open: Effect.Effect<AgentSession, FailureReason | AgentError, O>
  readonly talk: (session: AgentSession) => Effect.Effect<Talk<E, R>, E, R | Scope.Scope>
  /** Shows a session that could not be opened. */
  readonly showFailure: Talk<E, R>["show"]
}

const failed = (failure: FailureReason | AgentError): ReadonlyArray<AgentEvent> =>
  failure._tag === "AgentError"
    ? [errorEvent(failure.reason), { type: "done", result: failure.result }]
    : failedRun(failure)

/** Gives how the session came out; where it ended well, its last turn. To interrupt a turn is no failure. */
export const holdSession = <E, R, O>({ open, talk, showFailure }: HoldOptions<E, R, O>) =>
  Effect.gen(function* () {
    const lastTurn: { ending: Ending } = { ending: "completed" }
    const noted = (event: AgentEvent) => {
      if (event.type === "turn_done") lastTurn.ending = endingOf(event.result)
      return event
    }
    const around = yield* Effect.scope
    const held = Effect.gen(function* () {
      const opened = yield* Effect.result(open)
      if (Result.isFailure(opened)) return showFailure(Stream.fromIterable(failed(opened.failure)))
      // What the turns need outlives the session: they end by its end.
      const { show, drive } = yield* Scope.provide(talk(opened.success), around)
      const showing = yield* Effect.forkIn(show(Stream.map(opened.success.events, noted)), around)
      yield* Effect.raceFirst(drive, Effect.asVoid(Fiber.await(showing)))
      return Fiber.join(showing)
    })
    const ending = yield* Effect.flatten(Effect.scoped(held))
    return ending !== "completed" || lastTurn.ending === "aborted" ? ending : lastTurn.ending
  }).pipe(Effect.scoped)
