/**
 * The model: each call is one run. A call that fails before its first output rejects, as one of an HTTP provider does; later
 * the failure is a part of the stream. Whoever hears of the end of a call, also of an aborted one, finds no process left.
 */
import { AgentError } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { PlainAgent } from "../../contract/PlainAgent.ts"
import type { ReinsModelOptions } from "./AiSdk.ts"
import { resultOf } from "./content.ts"
import { errorOf, type Failure, failureOf } from "./failure.ts"
import { parting } from "./parts.ts"
import { type Plan, planOf } from "./plan.ts"
import { eventsOf } from "./run.ts"
import type { CallOptions, Model, StreamPart } from "./spec.ts"

const outputs: ReadonlySet<string> = new Set(["text", "thinking", "tool_use"])

/** Ends of runs whose answer the AI SDK is to judge itself. */
const answered: ReadonlySet<string> = new Set(["completed", "schema_not_met"])

const noEnd: Failure = { code: "no_result", category: "protocol", message: "The run has no end", retryable: false }

interface Call {
  readonly agent: PlainAgent
  readonly options: ReinsModelOptions
  readonly call: CallOptions
  readonly plan: Plan
  readonly signal: AbortSignal
}

async function* eventsOrThrow({ agent, options, plan, signal }: Call): AsyncGenerator<AgentEvent> {
  try {
    yield* eventsOf(agent, options, plan, signal)
  } catch (error) {
    if (!(error instanceof AgentError)) throw error
    if (signal.aborted) throw signal.reason
    throw await errorOf(failureOf(error), { cli: agent.cli, hadOutput: error.hadOutput })
  }
}

async function* partsOf(call: Call): AsyncGenerator<StreamPart> {
  const { agent, plan, signal } = call
  const { cli } = agent
  const { step, end } = parting({ cli, isJson: plan.isJson, raw: call.call.includeRawChunks === true })
  let hadOutput = false
  let failure: Failure = noEnd
  let result: AgentRunResult | undefined
  for await (const event of eventsOrThrow(call)) {
    hadOutput ||= outputs.has(event.type)
    if (event.type === "error") failure = event
    if (event.type === "done" || event.type === "turn_done") result = event.result
    yield* step(event)
  }
  if (signal.aborted && result?.outcome !== "completed") throw signal.reason
  if (result === undefined || !answered.has(result.reason)) {
    const error = await errorOf(failure, { cli, sessionId: result?.sessionId, hadOutput })
    if (!hadOutput || result === undefined) throw error
    yield { type: "error", error }
  }
  yield* end(result)
}

/** Not part of the output: a call that fails after them alone rejects. */
const early: ReadonlySet<StreamPart["type"]> = new Set(["raw", "response-metadata"])

/** The parts until the first of the output, and those that follow. */
const begun = async (parts: AsyncGenerator<StreamPart>) => {
  const first: Array<StreamPart> = []
  for (;;) {
    const { done, value } = await parts.next()
    if (done === true) return first
    first.push(value)
    if (!early.has(value.type)) return first
  }
}

export const makeModel = (agent: PlainAgent, modelId: string, options: ReinsModelOptions): Model => {
  const start = async (call: CallOptions, signal: AbortSignal) => {
    signal.throwIfAborted()
    const plan = planOf(agent, call, options.system)
    if (!("prompt" in plan)) throw await errorOf(plan, { cli: agent.cli, hadOutput: false })
    return { plan, parts: partsOf({ agent, options, call, plan, signal }) }
  }

  const doStream: Model["doStream"] = async (call) => {
    const leaving = new AbortController()
    const signal = AbortSignal.any([leaving.signal, ...(call.abortSignal === undefined ? [] : [call.abortSignal])])
    const { plan, parts } = await start(call, signal)
    const first: Array<StreamPart> = [{ type: "stream-start", warnings: [...plan.warnings] }, ...(await begun(parts))]
    const stream = new ReadableStream<StreamPart>({
      pull: async (controller) => {
        const { done, value } = first.length > 0 ? { done: false, value: first.shift() } : await parts.next()
        if (done === true || value === undefined) return controller.close()
        controller.enqueue(value)
      },
      // To leave a generator waits for its next value, which an agent that is silent does not give.
      cancel: async (reason) => {
        leaving.abort(reason)
        await parts.return(undefined).catch(() => undefined)
      }
    })
    return { stream }
  }

  const doGenerate: Model["doGenerate"] = async (call) => {
    const { plan, parts } = await start(call, call.abortSignal ?? new AbortController().signal)
    const all = await Array.fromAsync(parts)
    const failed = all.find((part) => part.type === "error")
    if (failed !== undefined) throw failed.error
    const result = resultOf(all, plan.warnings)
    if (result === undefined) throw new Error(noEnd.message)
    return result
  }

  return {
    specificationVersion: "v4",
    provider: `reins.${agent.cli}`,
    modelId,
    // Whatever a URL leads to is loaded by the AI SDK.
    supportedUrls: {},
    doGenerate,
    doStream
  }
}
