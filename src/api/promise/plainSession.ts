/** A live session of the plain door: promises and async iterables over `AgentSession`. */
import { Cause, Effect, Exit, Scope } from "effect"
import * as Approvals from "../../agents/Approvals.ts"
import type { AgentOpenParams, PlainOpenParams } from "../../contract/AgentOpenParams.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { rejectingAtCall } from "../../contract/errors/callSite.ts"
import type { PlainSession } from "../../contract/PlainSession.ts"
import { iterable } from "./iterable.ts"

/** The parameters of the service: the callbacks become rules after all others. */
export const openParamsOf = (given: PlainOpenParams): AgentOpenParams => {
  // From JavaScript: the parser refuses it.
  if (typeof given !== "object" || given === null) return given
  const { onPermission, onQuestion, ...params } = given
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
    turn: (prompt, options) => iterable(session.turn(prompt, options)),
    send: rejectingAtCall((text, options) => runPromise(session.send(text, options))),
    steer: rejectingAtCall((text, options) => runPromise(session.steer(text, options))),
    interrupt: () => runPromise(session.interrupt),
    idle: () => runPromise(session.idle),
    setModel: rejectingAtCall((model) => runPromise(session.setModel(model))),
    setPermissionMode: rejectingAtCall((permissionMode) => runPromise(session.setPermissionMode(permissionMode))),
    decide: rejectingAtCall((requestId, answer) => runPromise(session.decide(requestId, answer))),
    answer: rejectingAtCall((requestId, answers, decider) => runPromise(session.answer(requestId, answers, decider))),
    events: iterable(session.events),
    close,
    [Symbol.asyncDispose]: close
  }
}
