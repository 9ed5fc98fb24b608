/**
 * Door for plain callers: `for await` over events, `await` for a result. Owns the runtime behind both; closing the
 * agent ends its runs.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Context, Effect, Exit, Layer, ManagedRuntime, Stream } from "effect"
import { Aborted, AgentError } from "./AgentError.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { AgentExecuteParams } from "./AgentExecuteParams.ts"
import type { AgentOptions } from "./AgentOptions.ts"
import type { AgentRunResult } from "./AgentRunResult.ts"
import { AgentRuntime } from "./AgentRuntime.ts"
import { type CliId, clis } from "./agents.ts"
import { makeResult } from "./run/judge.ts"

export { AgentError } from "./AgentError.ts"
export type { AgentEvent } from "./AgentEvent.ts"
export type { AgentExecuteParams } from "./AgentExecuteParams.ts"
export type { AgentOptions } from "./AgentOptions.ts"
export type { AgentRunResult } from "./AgentRunResult.ts"
export type { CliId } from "./agents.ts"

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
  /** Ends all runs and waits until their processes are gone. The agent is of no use afterwards. */
  readonly close: () => Promise<void>
}

/** One agent for any number of runs, also at once. Nothing is started before the first run. */
export const createAgent = (id: CliId, { timeoutMs, ...options }: CreateAgentOptions = {}): PlainAgent => {
  const cli = Object.hasOwn(clis, id) ? clis[id] : undefined
  if (cli === undefined) {
    throw new TypeError(`createAgent: ${JSON.stringify(id)} is none of ${Object.keys(clis).join(", ")}`)
  }
  const timeouts = { ...(timeoutMs === undefined ? {} : { idle: timeoutMs }), ...options.timeouts }
  const layer = AgentRuntime.layer(cli, { ...options, timeouts }).pipe(Layer.provide(NodeServices.layer))
  const runtime = ManagedRuntime.make(layer)

  const execute = (params: AgentExecuteParams) =>
    runtime.contextEffect.pipe(
      Effect.map((context) => Context.get(context, AgentRuntime).execute(params)),
      Stream.unwrap,
      Stream.toAsyncIterable
    )

  const run = async (params: AgentExecuteParams) => {
    const exit = await runtime.runPromiseExit(AgentRuntime.use((agent) => agent.run(params)))
    if (Exit.isSuccess(exit)) return exit.value
    if (!Cause.hasInterruptsOnly(exit.cause)) throw Cause.squash(exit.cause)
    const reason = new Aborted()
    const result = makeResult({ ending: { failure: reason }, text: "", durationMs: 0, report: {}, stderr: "" })
    throw new AgentError({ cli: id, reason, result })
  }

  const close = () => Effect.runPromise(runtime.disposeEffect)
  return { cli: id, execute, run, close, [Symbol.asyncDispose]: close }
}
