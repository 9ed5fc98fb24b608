/** A live session from its opening to its `done`: its events are shown while a driver acts on it, until either ends. */
import { Effect, Fiber, Result, Scope, Stream } from "effect"
import { errorEvent, failedRun } from "../../agents/engine/result.ts"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { type Ending, endingOf } from "../exit.ts"

export interface SessionDriver<E, R> {
  /** Takes all events, `done` last, and gives how the session ended. */
  readonly show: (events: Stream.Stream<AgentEvent>) => Effect.Effect<Ending, E, R>
  /** When it returns, the session is closed. */
  readonly drive: Effect.Effect<void, E, R>
}

export interface RunSessionOptions<E, R, O> {
  /** Fails with what is wrong with the parameters, or with what the agent gave until it failed. */
  readonly open: Effect.Effect<AgentSession, FailureReason | AgentError, O>
  readonly makeDriver: (session: AgentSession) => Effect.Effect<SessionDriver<E, R>, E, R | Scope.Scope>
  /** Shows a session that could not be opened. */
  readonly showFailure: SessionDriver<E, R>["show"]
}

const eventsOfFailure = (failure: FailureReason | AgentError): ReadonlyArray<AgentEvent> =>
  failure._tag === "AgentError"
    ? [errorEvent(failure.reason), { type: "done", result: failure.result }]
    : failedRun(failure)

/** Gives how the session ended; where it ended well, how its last turn did. An interrupted turn is not a failure. */
export const runSession = <E, R, O>({ open, makeDriver, showFailure }: RunSessionOptions<E, R, O>) =>
  Effect.gen(function* () {
    const lastTurn: { ending: Ending } = { ending: "completed" }
    const observed = (event: AgentEvent) => {
      if (event.type === "turn_done") lastTurn.ending = endingOf(event.result)
      return event
    }
    const outer = yield* Effect.scope
    const session = Effect.gen(function* () {
      const opened = yield* Effect.result(open)
      if (Result.isFailure(opened)) return showFailure(Stream.fromIterable(eventsOfFailure(opened.failure)))
      // In the outer scope: the driver has to outlive the session, whose end ends the turns.
      const { show, drive } = yield* Scope.provide(makeDriver(opened.success), outer)
      const showing = yield* Effect.forkIn(show(Stream.map(opened.success.events, observed)), outer)
      yield* Effect.raceFirst(drive, Effect.asVoid(Fiber.await(showing)))
      return Fiber.join(showing)
    })
    const ending = yield* Effect.flatten(Effect.scoped(session))
    return ending !== "completed" || lastTurn.ending === "aborted" ? ending : lastTurn.ending
  }).pipe(Effect.scoped)
