/** An agent of the plain door, over any layer of `AgentRuntime`; owns the runtime behind it. */
import { Cause, Context, Effect, Exit, type Layer, ManagedRuntime, Scope, Stream } from "effect"
import { AgentRuntime } from "../AgentRuntime.ts"
import type { CliId } from "../Agents.ts"
import { withOutput } from "../answers/answering.ts"
import { Aborted, AgentError } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import { failedRun, resultOfNothing } from "../engine/result.ts"
import { makePlainSession, openParamsOf, type PlainOpenParams, type PlainSession } from "./PlainSession.ts"

export interface PlainAgent<Id extends string = CliId> extends AsyncDisposable {
  readonly cli: Id
  /**
   * Each iteration is one run. Leaving the loop ends the process and waits until it is gone. A failure of the agent does
   * not throw: it is an `error` event, then `done`.
   */
  readonly execute: <Output = unknown>(params: AgentExecuteParams<Output>) => AsyncIterable<AgentEvent<Output>>
  /** The same run, for its result only; rejects with `AgentError` if the outcome is not `completed`. */
  readonly run: <Output = unknown>(params: AgentExecuteParams<Output>) => Promise<AgentRunResult<Output>>
  /** Opens a live session, ready for its first turn. Rejects with `AgentError` if it cannot be opened. */
  readonly open: (params?: PlainOpenParams) => Promise<PlainSession>
  /** Ends all runs and sessions and waits until their processes are gone. Later runs and sessions end as `aborted`. */
  readonly close: () => Promise<void>
}

export const makePlainAgent = <Id extends string>(id: Id, layer: Layer.Layer<AgentRuntime>): PlainAgent<Id> => {
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

  const run = async <Output>(params: AgentExecuteParams<Output>) => {
    if (isClosed) throw abortedBefore()
    const exit = await runtime.runPromiseExit(AgentRuntime.use((agent) => agent.run(params)))
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
