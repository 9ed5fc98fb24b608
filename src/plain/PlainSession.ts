/** A live session for plain callers: promises and async iterables over `AgentSession`. */
import { Cause, Effect, Exit, Scope, Stream } from "effect"
import * as Approvals from "../Approvals.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../contract/AgentOpenParams.ts"
import type { AgentSession, Delivery } from "../contract/AgentSession.ts"
import type { Answers } from "../contract/SessionEvent.ts"

export interface PlainOpenParams extends Omit<AgentOpenParams, "questions"> {
  /** Decides what no rule of `approvals` does, within 300 s. */
  readonly onPermission?: Approvals.PermissionHandler
  /** Answers what the agent wants to know, within the `deadline` of `questions`; undefined: use your defaults. */
  readonly onQuestion?: Approvals.QuestionHandler
  readonly questions?: AgentOpenParams["questions"]
}

export interface PlainSession extends AsyncDisposable {
  readonly cli: string
  /** Names the conversation, which a later run or session can resume. Undefined until the CLI has told it. */
  readonly sessionId: string | undefined
  /**
   * Each iteration is one turn; its last event is `turn_done`. Waits for the turn before it. Leaving the loop interrupts
   * the turn. Never throws for what goes wrong with the agent: that is an `error` event, then `turn_done`.
   */
  readonly turn: (prompt: string) => AsyncIterable<AgentEvent>
  /** Adds a text to the turn under way, or begins one. What comes of it is in `events`. */
  readonly send: (text: string) => Promise<Delivery>
  /** Ends the turn under way; gives whether there was one. Resolves when the turn is over. */
  readonly interrupt: () => Promise<boolean>
  /** Resolves when no turn is under way and none waits, also those that the agent begins by itself. */
  readonly idle: () => Promise<void>
  readonly setModel: (model: string) => Promise<void>
  readonly setPermissionMode: (permissionMode: PermissionMode) => Promise<void>
  /** Decides a `permission_request`; gives whether this was the answer. Rejects what is none: the request waits on. */
  readonly decide: (requestId: string, answer: Approvals.PlanAnswer) => Promise<boolean>
  /** Answers a `question`; gives whether this was the answer. */
  readonly answer: (requestId: string, answers: Answers | undefined) => Promise<boolean>
  /** All events of all turns, then the one `done`. The first to listen also gets what came before. */
  readonly events: AsyncIterable<AgentEvent>
  /** Ends the session and waits until its process is gone. */
  readonly close: () => Promise<void>
}

/** The params of the service: functions of the caller become rules behind all others. */
export const openParamsOf = ({ onPermission, onQuestion, ...params }: PlainOpenParams): AgentOpenParams => {
  const { approvals = [], questions } = params
  const asking = questions === "off" ? {} : questions
  return {
    ...params,
    ...(onPermission === undefined ? {} : { approvals: [...approvals, Approvals.ask(onPermission)] }),
    ...(onQuestion === undefined ? {} : { questions: { ...asking, handler: onQuestion } })
  }
}

const runPromise = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

export const makePlainSession = (session: AgentSession, scope: Scope.Closeable): PlainSession => {
  let closing: Promise<void> | undefined
  /** Whoever asks for it again waits for the same end: a scope that is being closed counts as closed. */
  const close = () => {
    closing ??= runPromise(Scope.close(scope, Exit.void))
    return closing
  }
  return {
    cli: session.cli,
    get sessionId() {
      return session.sessionId
    },
    turn: (prompt) => Stream.toAsyncIterable(session.turn(prompt)),
    send: (text) => runPromise(session.send(text)),
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
