/**
 * The model: each call is one run. A call that fails before its first output rejects, as an HTTP provider does; later
 * the failure is a part of the stream. When a call has ended, also an aborted one, no process is left.
 */
import { AgentError } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { CallContext, HostTool } from "../../contract/HostTool.ts"
import type { PlainAgent } from "../../contract/PlainAgent.ts"
import type { AiSdkTools, ReinsModelOptions } from "./AiSdk.ts"
import { errorOf, type Failure, failureOf } from "./failure.ts"
import { parting } from "./parts.ts"
import { type Plan, planOf } from "./plan.ts"
import type { CallOptions, Content, GenerateResult, Model, StreamPart, Warning } from "./spec.ts"

// The parts of a whole stream → the result of a call that does not stream, without void text; pure.

const withoutLast = (content: Array<Content>, characters: number): Array<Content> => {
  if (characters === 0) return content
  let left = characters
  const stored = content.toReversed().flatMap((part): ReadonlyArray<Content> => {
    if (part.type !== "text") return [part]
    const cut = Math.min(left, part.text.length)
    left -= cut
    return cut === part.text.length ? [] : [{ ...part, text: part.text.slice(0, part.text.length - cut) }]
  })
  return stored.reverse()
}

const voidedBy = ({ providerMetadata }: Extract<StreamPart, { readonly type: "text-end" }>): number => {
  const voided = providerMetadata?.["reins"]?.["voidedCharacters"]
  return typeof voided === "number" ? voided : 0
}

/** Returns undefined for a stream that did not finish. */
export const resultOf = (
  parts: ReadonlyArray<StreamPart>,
  warnings: ReadonlyArray<Warning>
): GenerateResult | undefined => {
  let content: Array<Content> = []
  let pieces: Array<string> = []
  let response: Pick<GenerateResult, "response"> = {}
  for (const part of parts) {
    switch (part.type) {
      case "tool-call":
      case "tool-result":
        content.push(part)
        break
      case "text-delta":
      case "reasoning-delta":
        pieces.push(part.delta)
        break
      case "text-end":
        content.push({ type: "text", text: pieces.join("") })
        content = withoutLast(content, voidedBy(part))
        pieces = []
        break
      case "reasoning-end":
        content.push({ type: "reasoning", text: pieces.join("") })
        pieces = []
        break
      case "response-metadata":
        if (part.modelId !== undefined) response = { response: { modelId: part.modelId } }
        break
      case "finish": {
        const { usage, finishReason, providerMetadata = {} } = part
        return { content, usage, finishReason, providerMetadata, warnings: [...warnings], ...response }
      }
    }
  }
  return undefined
}

// Tools of the AI SDK → host tools. `ai` converts any schema to JSON Schema, and checks the input by it.

type AiSdkTool = AiSdkTools[string]

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value

/** The result of a tool that yields is its last value; those before it are for people. */
const lastOf = async (values: AsyncIterable<unknown>): Promise<unknown> => {
  let last: unknown
  for await (const value of values) last = value
  return last
}

let calls = 0

const hostTool = async (name: string, tool: AiSdkTool): Promise<HostTool> => {
  const { asSchema } = await import("ai")
  const { execute, description } = tool
  if (execute === undefined) throw new TypeError(`hostTools: ${name} has no execute: an agent does not stop for a tool`)
  const schema = asSchema(tool.inputSchema)
  const run = async (input: unknown, { signal }: CallContext) => {
    const checked = (await schema.validate?.(input)) ?? { success: true, value: input }
    if (!checked.success) throw checked.error
    // The agent has the messages; its events have the id of its own call.
    const options = { toolCallId: `${name}-${calls++}`, messages: [], abortSignal: signal, context: {} }
    const result: unknown = await execute(checked.value, options)
    return isIterable(result) ? lastOf(result) : result
  }
  const inputSchema = { ...(await schema.jsonSchema) }
  return { name, description: typeof description === "string" ? description : name, inputSchema, run }
}

const isList = (tools: ReadonlyArray<HostTool> | AiSdkTools): tools is ReadonlyArray<HostTool> => Array.isArray(tools)

/** Throws a TypeError for a tool without `execute`. */
export const hostToolsOf = async (tools: ReadonlyArray<HostTool> | AiSdkTools): Promise<ReadonlyArray<HostTool>> =>
  isList(tools) ? tools : Promise.all(Object.entries(tools).map(([name, tool]) => hostTool(name, tool)))

const ofSessions = ["hostTools", "approvals", "onPermission", "questions", "onQuestion"] as const

async function* turnOf(
  agent: PlainAgent,
  { system: _, hostTools = [], ...handlers }: ReinsModelOptions,
  { prompt, params, turn }: Plan,
  abortSignal: AbortSignal
): AsyncGenerator<AgentEvent> {
  const tools = await hostToolsOf(hostTools)
  const session = await agent.open({ ...handlers, ...params, abortSignal, ...(tools.length === 0 ? {} : { tools }) })
  try {
    yield* session.turn(prompt, turn)
  } finally {
    await session.close()
  }
}

/** The last event is `done`, or `turn_done`. Rejects with `AgentError` if a session cannot be opened. */
const eventsOf = (
  agent: PlainAgent,
  options: ReinsModelOptions,
  plan: Plan,
  abortSignal: AbortSignal
): AsyncIterable<AgentEvent> => {
  if (ofSessions.some((name) => options[name] !== undefined)) return turnOf(agent, options, plan, abortSignal)
  return agent.execute({ prompt: plan.prompt, ...plan.params, ...plan.turn, abortSignal })
}

const outputs: ReadonlySet<string> = new Set(["text", "thinking", "tool_use"])
/** Ends of runs whose answer the AI SDK judges itself. */
const answered: ReadonlySet<string> = new Set(["completed", "schema_not_met"])
/** Parts before the output: a call that fails after them alone rejects. */
const early: ReadonlySet<StreamPart["type"]> = new Set(["raw", "response-metadata"])
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
  const { plan, signal } = call
  const { cli } = call.agent
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
      // A generator can be left only at its next value, which a silent agent does not give.
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
    // The AI SDK downloads URLs itself.
    supportedUrls: {},
    doGenerate,
    doStream
  }
}
