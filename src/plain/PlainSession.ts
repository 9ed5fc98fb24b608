/** A live session of the plain door: promises and async iterables over `AgentSession`. */
import { Cause, Effect, Exit, Scope, Stream } from "effect"
import * as Approvals from "../Approvals.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../contract/AgentOpenParams.ts"
import type { AgentSession, Delivery } from "../contract/AgentSession.ts"
import type { Answers } from "../contract/SessionEvent.ts"
import type { TurnOptions } from "../types/TurnOptions.ts"

export interface PlainOpenParams extends AgentOpenParams {
  /** Decides requests that no rule of `approvals` matches, within 300 s. */
  readonly onPermission?: Approvals.PermissionHandler
  /** Answers questions, within the `deadline` of `questions`; with undefined the agent uses its defaults. */
  readonly onQuestion?: Approvals.QuestionHandler
}

export interface PlainSession extends AsyncDisposable {
  readonly cli: string
  /** Id with which a later run or session can resume this one. Undefined until the CLI has reported it. */
  readonly sessionId: string | undefined
  /**
   * Each iteration is one turn; its last event is `turn_done`. Waits for the turn before it. Leaving the loop interrupts
   * the turn. A failure of the agent does not throw: it is an `error` event, then `turn_done`.
   */
  readonly turn: <Output = unknown>(prompt: string, options?: TurnOptions<Output>) => AsyncIterable<AgentEvent<Output>>
  /**
   * Adds a text to the running turn, or starts one; the events are in `events`. A text with an `outputSchema` is always a
   * turn of its own.
   */
  readonly send: (text: string, options?: TurnOptions) => Promise<Delivery>
  /** Interrupts the running turn and waits for its end; false where there was none. */
  readonly interrupt: () => Promise<boolean>
  /** Waits until no turn is running or waiting, including turns that the agent starts by itself. */
  readonly idle: () => Promise<void>
  readonly setModel: (model: string) => Promise<void>
  readonly setPermissionMode: (permissionMode: PermissionMode) => Promise<void>
  /** Decides a `permission_request`; false where it needs no answer any more. Rejects for an invalid answer. */
  readonly decide: (requestId: string, answer: Approvals.PlanAnswer) => Promise<boolean>
  /** Answers a `question`; false where it needs no answer any more. */
  readonly answer: (requestId: string, answers: Answers | undefined) => Promise<boolean>
  /** All events of all turns, then the `done` of the session. The first consumer also gets earlier events. */
  readonly events: AsyncIterable<AgentEvent>
  /** Ends the session and waits until its process is gone. */
  readonly close: () => Promise<void>
}

/** The parameters of the service: the callbacks become rules after all others. */
export const openParamsOf = ({ onPermission, onQuestion, ...params }: PlainOpenParams): AgentOpenParams => {
  const { approvals = [], questions } = params
  const questionOptions = questions === "off" ? {} : questions
  return {
    ...params,
    ...(onPermission === undefined ? {} : { approvals: [...approvals, Approvals.ask(onPermission)] }),
    ...(onQuestion === undefined ? {} : { questions: { ...questionOptions, handler: onQuestion } })
  }
}

const runPromise = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

export const makePlainSession = (session: AgentSession, scope: Scope.Closeable): PlainSession => {
  let closing: Promise<void> | undefined
  /** Further calls wait for the same end: a scope that is being closed counts as closed. */
  const close = () => {
    closing ??= runPromise(Scope.close(scope, Exit.void))
    return closing
  }
  return {
    cli: session.cli,
    get sessionId() {
      return session.sessionId
    },
    turn: (prompt, options) => Stream.toAsyncIterable(session.turn(prompt, options)),
    send: (text, options) => runPromise(session.send(text, options)),
    interrupt: () => runPromise(session.interrupt),
    idle: () => runPromise(session.idle),
    setModel: (model) => runPromise(session.setModel(model)),
    setPermissionMode: (permissionMode) => runPromise(session.setPermissionMode(permissionMode)),
    decide: (requestId, answer) => runPromise(session.decide(requestId, answer)),
    answer: (requestId, answers) => runPromise(session.answer(requestId, answers)),
    events: Stream.toAsyncIterable(session.events),
    close,
    [Symbol.asyncDispose]: close
  }
}
