/**
 * Door for plain callers: `for await` over events, `await` for a result. Owns the runtime behind both; closing the
 * agent ends its runs.
 */
import { Cause, Context, Effect, Exit, Layer, Logger, ManagedRuntime, Predicate, Result, Stream } from "effect"
import { Aborted, AgentError } from "./AgentError.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { AgentExecuteParams } from "./AgentExecuteParams.ts"
import { type AgentOptions, parseOptions } from "./AgentOptions.ts"
import type { AgentRunResult } from "./AgentRunResult.ts"
import { AgentRuntime } from "./AgentRuntime.ts"
import { type CliId, clis } from "./agents.ts"
import { nodePlatform } from "./process/nodePlatform.ts"
import { failedRun, resultOfNothing } from "./run/failure.ts"

export { AgentError, type FailureReason } from "./AgentError.ts"
export type { AgentEvent, ErrorEvent, NoticeEvent, NoticeKind, SessionEvent, ToolKind } from "./AgentEvent.ts"
export type { AgentExecuteParams, McpServer, PermissionMode, Timeouts } from "./AgentExecuteParams.ts"
export type { AgentOptions, EnvironmentOptions, Limits } from "./AgentOptions.ts"
export type { AgentRunResult, AgentUsage, ErrorCategory, ModelUsage, RunOutcome, RunReason } from "./AgentRunResult.ts"
export type { CliId } from "./agents.ts"
export { mayRetry } from "./retry.ts"

export interface CreateAgentOptions extends AgentOptions {
  /** The watchdog's `idle` budget in milliseconds: how long the model may be silent. `timeouts` has the others. */
  readonly timeoutMs?: number
}

export interface PlainAgent extends AsyncDisposable {
  readonly cli: CliId
  /** Each iteration is one run. Leaving the loop ends the process and waits until it is gone. Never throws for what
   * goes wrong with the agent: that is an `error` event, then `done`. */
  readonly execute: (params: AgentExecuteParams) => AsyncIterable<AgentEvent>
  /** Rejects with `AgentError` when the outcome is not `completed`. */
  readonly run: (params: AgentExecuteParams) => Promise<AgentRunResult>
  /** Ends all runs and waits until their processes are gone. What is asked of the agent afterwards is `aborted`. */
  readonly close: () => Promise<void>
}

/** To stderr: stdout may be a protocol of the host. */
const warnings = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

const isCliId = (key: string): key is CliId => Object.hasOwn(clis, key)

/** One agent for any number of runs, also at once. Nothing is started before the first run. */
export const createAgent = (name: CliId, given: CreateAgentOptions = {}): PlainAgent => {
  if (!Predicate.isObject(given)) throw new TypeError("createAgent: the options are no object")
  const { timeoutMs, ...options }: CreateAgentOptions = given
  const key = String(name).trim().toLowerCase()
  if (!isCliId(key)) {
    throw new TypeError(`createAgent: ${JSON.stringify(name)} is none of ${Object.keys(clis).join(", ")}`)
  }
  const id = key
  const cli = clis[id]
  const timeouts = { ...options.timeouts, idle: options.timeouts?.idle ?? timeoutMs }
  const checked = parseOptions({ ...options, timeouts })
  if (Result.isFailure(checked)) throw new TypeError(`createAgent: ${checked.failure.message}`)
  const layer = AgentRuntime.layer(cli, { ...options, timeouts }).pipe(Layer.provide([nodePlatform, warnings]))
  const runtime = ManagedRuntime.make(layer)

  let isClosed = false

  const execute = (params: AgentExecuteParams) =>
    Effect.suspend(() => {
      if (isClosed) return Effect.succeed(Stream.fromIterable(failedRun(new Aborted())))
      return Effect.map(runtime.contextEffect, (context) => Context.get(context, AgentRuntime).execute(params))
    }).pipe(Stream.unwrap, Stream.toAsyncIterable)

  const abortedBefore = () => {
    const reason = new Aborted()
    return new AgentError({ cli: id, reason, result: resultOfNothing(reason), hadOutput: false })
  }

  const run = async (params: AgentExecuteParams) => {
    if (isClosed) throw abortedBefore()
    const exit = await runtime.runPromiseExit(AgentRuntime.use((agent) => agent.run(params)))
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.hasInterruptsOnly(exit.cause) ? abortedBefore() : Cause.squash(exit.cause)
  }

  const close = () => {
    isClosed = true
    return Effect.runPromise(runtime.disposeEffect)
  }
  return { cli: id, execute, run, close, [Symbol.asyncDispose]: close }
}
