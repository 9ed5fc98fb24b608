/** An agent of the plain door, over any layer of `AgentRuntime`; owns the runtime behind it. */
import { Cause, Context, Effect, Exit, type Layer, ManagedRuntime, Predicate, Scope, Stream, Tracer } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import * as Approvals from "../../agents/Approvals.ts"
import { withOutput } from "../../agents/answers/answering.ts"
import { failedRun, resultOfNothing } from "../../agents/engine/result.ts"
import { Aborted, AgentError, type FailureReason, InvalidParams } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { ModelsParams } from "../../contract/AgentModels.ts"
import type { AgentOpenParams, PlainOpenParams } from "../../contract/AgentOpenParams.ts"
import type { AgentDefaults } from "../../contract/AgentOptions.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { rejectingAtCall } from "../../contract/errors/callSite.ts"
import type { PlainAgent, RunOptions } from "../../contract/PlainAgent.ts"
import type { PlainSession } from "../../contract/PlainSession.ts"
import { hintAtFakeTimers } from "../../system/fakeTimers.ts"
import { iterable } from "./iterable.ts"

/** The parameters of the service: the callbacks become the last rules. */
export const openParamsOf = (input: PlainOpenParams): AgentOpenParams => {
  // The parser refuses anything else.
  if (typeof input !== "object" || input === null) return input
  const { onPermission, onQuestion, ...params } = input
  const { approvals = [], questions } = params
  const questionOptions = questions === "off" ? {} : questions
  return {
    ...params,
    ...(onPermission === undefined ? {} : { approvals: [...approvals, Approvals.ask(onPermission)] }),
    ...(onQuestion === undefined ? {} : { questions: { ...questionOptions, handler: onQuestion } })
  }
}

export const valueOrThrow = <A>(exit: Exit.Exit<A, unknown>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

const runPromise = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  valueOrThrow(await Effect.runPromiseExit(effect))

/** The error of a run or session that failed before anything was started. */
export const errorOfNothing = (cli: string, reason: FailureReason): AgentError =>
  new AgentError({ cli, reason, result: resultOfNothing(reason), hadOutput: false })

export const makePlainSession = (session: AgentSession, scope: Scope.Closeable): PlainSession => {
  let closing: Promise<void> | undefined
  /** Later calls await the first one: a closing scope counts as closed. */
  const close = () => {
    closing ??= runPromise(Scope.close(scope, Exit.void))
    return closing
  }
  return {
    cli: session.cli,
    get sessionId() {
      return session.sessionId
    },
    get isOver() {
      return session.isOver
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

const callbacks = ["onPermission", "onQuestion"] as const
/** Parameters that need a store. */
const ofConversations = ["conversation", "turnId", "fresh", "onMissing", "onInterrupted"] as const
const cure = "needs a store: make the agent with { store: await openStore() }"

const withoutStore = (params: unknown): InvalidParams | undefined => {
  const option = ofConversations.find((name) => Predicate.hasProperty(params, name) && params[name] !== undefined)
  return option === undefined ? undefined : new InvalidParams({ option, problem: cure })
}

/**
 * The runtime refuses params that the CLI does not support, whatever their type. `hasStore`: whether it takes conversations.
 * `callersSpan`: the parent span of a run or session, read at the call.
 */
export const makePlainAgent = (
  id: string,
  layer: Layer.Layer<AgentRuntime>,
  defaults?: AgentDefaults,
  hasStore = false,
  callersSpan: () => Tracer.AnySpan | undefined = () => undefined
): PlainAgent => {
  const runtime = ManagedRuntime.make(layer)
  let isClosed = false

  /** At each start. */
  const obstacle = (params: unknown) => {
    hintAtFakeTimers()
    return isClosed ? new Aborted({ closed: "agent" }) : hasStore ? undefined : withoutStore(params)
  }

  const below = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const span = callersSpan()
    return span === undefined ? effect : Effect.provideService(effect, Tracer.ParentSpan, span)
  }

  const streamBelow = <A>(stream: Stream.Stream<A>): Stream.Stream<A> => {
    const span = callersSpan()
    return span === undefined ? stream : Stream.provideService(stream, Tracer.ParentSpan, span)
  }

  const execute = <Output>(params: AgentExecuteParams<Output>): AsyncIterable<AgentEvent<Output>> =>
    Effect.suspend((): Effect.Effect<Stream.Stream<AgentEvent<Output>>> => {
      const reason = obstacle(params)
      if (reason !== undefined) {
        return Effect.succeed(withOutput<Output>(undefined, Stream.fromIterable(failedRun(reason))))
      }
      return Effect.map(runtime.contextEffect, (context) => Context.get(context, AgentRuntime).execute(params))
    }).pipe(Stream.unwrap, streamBelow, iterable)

  const refused = (reason: FailureReason) => errorOfNothing(id, reason)
  const abortedBefore = () => refused(new Aborted({ closed: "agent" }))

  const succeeded = <A>(exit: Exit.Exit<A, unknown>): A => {
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) throw abortedBefore()
    return valueOrThrow(exit)
  }

  const run = async <Output>(params: AgentExecuteParams<Output>, options?: RunOptions) => {
    const reason = obstacle(params)
    if (reason !== undefined) throw refused(reason)
    return succeeded(await runtime.runPromiseExit(below(AgentRuntime.use((agent) => agent.run(params, options)))))
  }

  const models = async (params?: ModelsParams) => {
    if (isClosed) throw abortedBefore()
    return succeeded(await runtime.runPromiseExit(AgentRuntime.use((agent) => agent.models(params))))
  }

  const open = async (params: PlainOpenParams = {}) => {
    const reason = obstacle(params)
    if (reason !== undefined) throw refused(reason)
    const option = callbacks.find((name) => !["function", "undefined"].includes(typeof params?.[name]))
    if (option !== undefined) throw refused(new InvalidParams({ option, problem: "is not a function" }))
    const scope = Scope.makeUnsafe()
    const opening = below(AgentRuntime.use((agent) => agent.open(openParamsOf(params)))).pipe(Scope.provide(scope))
    const exit = await runtime.runPromiseExit(opening)
    if (Exit.isFailure(exit)) await Effect.runPromise(Scope.close(scope, exit))
    return makePlainSession(succeeded(exit), scope)
  }

  const close = () => {
    isClosed = true
    return Effect.runPromise(runtime.disposeEffect)
  }
  return {
    cli: id,
    defaults,
    execute,
    run: rejectingAtCall(run),
    open: rejectingAtCall(open),
    models: rejectingAtCall(models),
    close,
    [Symbol.asyncDispose]: close
  }
}
