/**
 * The modes of a chat (with a person at a terminal, another program, or a list of prompts), and a live session in such a mode:
 * its events are shown while a driver acts on it, until either ends.
 */
import { Effect, Fiber, type Option, Result, Scope, type Stdio, Stream, type Terminal } from "effect"
import { errorEvent, failedRun } from "../../agents/engine/result.ts"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import type { BudgetState } from "../../contract/Budget.ts"
import { type Ending, endingOf } from "../exit.ts"
import type { PlanMode } from "../planMode.ts"
import type { ChangeAction } from "./typedCommands.ts"

interface SessionDriver<E, R> {
  /** Takes all events, `done` last; returns how the session ended. */
  readonly show: (events: Stream.Stream<AgentEvent>) => Effect.Effect<Ending, E, R>
  /** The session is closed when it returns. */
  readonly drive: Effect.Effect<void, E, R>
}

export interface ChatModeContext {
  readonly agent: string
  readonly firstPrompt: Option.Option<string>
  readonly planMode: Option.Option<PlanMode>
  /** Mode of the command line; undefined for the agent's own default. */
  readonly permissionMode?: string | undefined
  /** Listed by the agent, which takes seconds. Default: none. */
  readonly models?: Effect.Effect<ReadonlyArray<string>>
  /** Default: none. */
  readonly budgets?: Effect.Effect<ReadonlyArray<BudgetState>>
  /** Text about the changes in the worktree of the conversation, after an action on them. Default: it has none. */
  readonly changes?: ((action: ChangeAction | undefined, message: string) => Effect.Effect<string>) | undefined
  readonly isStopping: () => boolean
}

type Needs = Stdio.Stdio | Terminal.Terminal

export type ChatMode = (context: ChatModeContext) => {
  readonly answering: Required<Pick<AgentOpenParams, "approvals" | "questions">>
  readonly announce: Effect.Effect<void, never, Needs>
  readonly makeDriver: (session: AgentSession) => Effect.Effect<SessionDriver<never, Needs>, never, Needs | Scope.Scope>
  /** Shows a session that could not be opened. */
  readonly showFailure: SessionDriver<never, Needs>["show"]
  /** Runs last; returns false if the input had an invalid command. */
  readonly finish: Effect.Effect<boolean>
}

export interface RunSessionOptions<E, R, O> {
  /** Fails with a wrong parameter, or with the result of an agent that failed. */
  readonly open: Effect.Effect<AgentSession, FailureReason | AgentError, O>
  readonly makeDriver: (session: AgentSession) => Effect.Effect<SessionDriver<E, R>, E, R | Scope.Scope>
  readonly showFailure: SessionDriver<E, R>["show"]
}

const eventsOfFailure = (failure: FailureReason | AgentError): ReadonlyArray<AgentEvent> =>
  failure._tag === "AgentError"
    ? [errorEvent(failure.reason), { type: "done", result: failure.result }]
    : failedRun(failure)

/** Returns how the session ended; if well, how its last turn did. An interrupted turn is not a failure. */
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
      // In the outer scope: the driver must outlive the session, whose end ends the turns.
      const { show, drive } = yield* Scope.provide(makeDriver(opened.success), outer)
      const showing = yield* Effect.forkIn(show(Stream.map(opened.success.events, observed)), outer)
      yield* Effect.raceFirst(drive, Effect.asVoid(Fiber.await(showing)))
      return Fiber.join(showing)
    })
    const ending = yield* Effect.flatten(Effect.scoped(session))
    return ending !== "completed" || lastTurn.ending === "aborted" ? ending : lastTurn.ending
  }).pipe(Effect.scoped)
