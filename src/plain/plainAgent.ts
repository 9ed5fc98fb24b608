/** An agent of the plain door, over any layer of `AgentRuntime`; owns the runtime behind it. */
import { Cause, Context, Effect, Exit, type Layer, ManagedRuntime, Scope, Stream } from "effect"
import { AgentRuntime } from "../AgentRuntime.ts"
import { withOutput } from "../answers/answering.ts"
import { Aborted, AgentError } from "../contract/AgentError.ts"
import { failedRun, resultOfNothing } from "../engine/result.ts"
import type { AgentEvent } from "../types/AgentEvent.ts"
import type { AgentExecuteParams } from "../types/AgentExecuteParams.ts"
import type { PlainOpenParams } from "../types/AgentOpenParams.ts"
import type { PlainAgent, RunOptions } from "../types/PlainAgent.ts"
import { makePlainSession, openParamsOf } from "./plainSession.ts"

/** Params that the CLI does not support are refused by the runtime, whatever their type. */
export const makePlainAgent = (id: string, layer: Layer.Layer<AgentRuntime>): PlainAgent => {
  const runtime = ManagedRuntime.make(layer)

  let isClosed = false

  const execute = <Output>(params: AgentExecuteParams<Output>): AsyncIterable<AgentEvent<Output>> =>
    Effect.suspend((): Effect.Effect<Stream.Stream<AgentEvent<Output>>> => {
      if (isClosed) return Effect.succeed(withOutput<Output>(undefined, Stream.fromIterable(failedRun(new Aborted()))))
      return Effect.map(runtime.contextEffect, (context) => Context.get(context, AgentRuntime).execute(params))
    }).pipe(Stream.unwrap, Stream.toAsyncIterable)

  const abortedBefore = () => {
    const reason = new Aborted()
    return new AgentError({ cli: id, reason, result: resultOfNothing(reason), hadOutput: false })
  }

  const run = async <Output>(params: AgentExecuteParams<Output>, options?: RunOptions) => {
    if (isClosed) throw abortedBefore()
    const exit = await runtime.runPromiseExit(AgentRuntime.use((agent) => agent.run(params, options)))
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.hasInterruptsOnly(exit.cause) ? abortedBefore() : Cause.squash(exit.cause)
  }

  const open = async (params: PlainOpenParams = {}) => {
    if (isClosed) throw abortedBefore()
    const scope = Scope.makeUnsafe()
    const opening = AgentRuntime.use((agent) => agent.open(openParamsOf(params))).pipe(Scope.provide(scope))
    const exit = await runtime.runPromiseExit(opening)
    if (Exit.isSuccess(exit)) return makePlainSession(exit.value, scope)
    await Effect.runPromise(Scope.close(scope, exit))
    throw Cause.hasInterruptsOnly(exit.cause) ? abortedBefore() : Cause.squash(exit.cause)
  }

  const close = () => {
    isClosed = true
    return Effect.runPromise(runtime.disposeEffect)
  }
  return { cli: id, execute, run, open, close, [Symbol.asyncDispose]: close }
}
