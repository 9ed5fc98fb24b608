/** Pi's `--mode json` for fakes (1.6.0): messages in pieces and then whole, tools behind them; exit code 0 for every error. */
import { countOf, type Dialect, defaultCostUsd, defaultUsage, type Lines, type Speaker, timestamp } from "../dialect.ts"
import type { ErrorStep, FailureKind, Fields, ResultStep } from "../Steps.ts"

interface Known {
  readonly status: number
  readonly type: string
  readonly message: string
}

const known: { readonly [Kind in FailureKind]?: Known } = {
  auth: { status: 401, type: "authentication_error", message: "invalid x-api-key" },
  billing: { status: 400, type: "invalid_request_error", message: "Your credit balance is too low" },
  permission: { status: 403, type: "permission_error", message: "Your API key does not have permission" },
  rate_limit: { status: 429, type: "rate_limit_error", message: "This request would exceed your rate limit" },
  overloaded: { status: 529, type: "overloaded_error", message: "Overloaded" },
  context_overflow: {
    status: 400,
    type: "invalid_request_error",
    message: "prompt is too long: 213462 tokens > 200000 maximum"
  },
  invalid_request: { status: 400, type: "invalid_request_error", message: "messages: something is wrong" }
}

/** Kinds that are known by their words alone. */
const worded: ReadonlySet<FailureKind> = new Set(["billing", "context_overflow"])

/** The `errorMessage` for a failing model API (1.6.0): the words of the provider's client. */
const failureOf = ({ kind, message, retryAfterMs }: ErrorStep, refuse: (problem: string) => never): string => {
  if (retryAfterMs !== undefined) refuse("it does not tell when to retry")
  if (kind === "other") return message ?? "something went wrong"
  if (kind === "network") return message === undefined ? "terminated" : refuse("it has one message for network")
  const failure = known[kind]
  if (failure === undefined) return refuse(`it knows no ${JSON.stringify(kind)}`)
  if (message !== undefined && worded.has(kind)) return refuse(`it has one message for ${kind}`)
  const { status, type } = failure
  return `${status} ${JSON.stringify({ type: "error", error: { type, message: message ?? failure.message } })}`
}

const provider = "fake"
const noCosts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const noUsage = { ...noCosts, totalTokens: 0, cost: { ...noCosts, total: 0 } }

const usageOf = ({ usage = defaultUsage, costUsd = defaultCostUsd }: ResultStep): Fields => {
  const { inputTokens: input, outputTokens: output, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  return {
    ...countOf("input", input),
    ...countOf("output", output),
    cacheRead: cacheReadTokens,
    cacheWrite: cacheWriteTokens,
    totalTokens: (input ?? 0) + (output ?? 0) + cacheReadTokens + cacheWriteTokens,
    cost: { ...noCosts, total: costUsd }
  }
}

type Block = Readonly<Record<string, unknown>>

/** The messages of the model, one for each time that it is asked. `line` gives the newest model its name. */
const makeMessages = (model: () => string) => {
  let content: ReadonlyArray<Block> = []
  let isOpen = false
  const message = (fields: Fields = {}) => ({
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider,
    model: model(),
    usage: noUsage,
    stopReason: "stop",
    timestamp: Date.parse(timestamp),
    ...fields
  })

  const begin = (): Lines => {
    if (isOpen) return []
    isOpen = true
    content = []
    return [{ type: "message_start", message: message({ stopReason: "pending" }) }]
  }

  const update = (type: string, fields: Fields) => ({
    type: "message_update",
    usage: noUsage,
    assistantMessageEvent: { type, contentIndex: content.length - 1, ...fields }
  })

  const block = (
    type: string,
    pieces: ReadonlyArray<string>,
    whole: Block,
    { end, start = {} }: { readonly end: Fields; readonly start?: Fields }
  ): Lines => {
    const opening = begin()
    content = [...content, whole]
    const deltas = pieces.map((delta) => update(`${type}_delta`, { delta }))
    return [...opening, update(`${type}_start`, start), ...deltas, update(`${type}_end`, end)]
  }

  /** The end of the message and, unless tools follow, of the turn. */
  const close = (fields: Fields): { readonly end: Lines; readonly whole: Fields } => {
    const opening = begin()
    isOpen = false
    const whole = message(fields)
    return { end: [...opening, { type: "message_end", message: whole }], whole }
  }
  return { begin, block, close, isOpen: () => isOpen }
}

const speaker: Dialect["speaker"] = ({ sessionId, workingDirectory, prompt, refuse }): Speaker => {
  let calls = 0
  let running = 0
  let model = "fake"
  const messages = makeMessages(() => model)

  /** Ends the message, the turn and the agent's work: which may go on after a failure. */
  const over = (fields: Fields): Lines => {
    const { end, whole } = messages.close(fields)
    return [...end, { type: "turn_end", message: whole, toolResults: [] }, { type: "agent_end", messages: [whole] }]
  }

  const settled = (last: Fields = {}) => ({ type: "agent_settled", aborted: false, ...last })

  return {
    session: ({ model: named = model, fields }) => {
      model = named
      const user = { role: "user", content: [{ type: "text", text: prompt }], timestamp: Date.parse(timestamp) }
      return [
        { type: "session", version: 3, id: sessionId, timestamp, cwd: workingDirectory, ...fields },
        { type: "agent_start" },
        { type: "turn_start" },
        { type: "message_start", message: user },
        { type: "message_end", message: user }
      ]
    },
    text: (pieces) => {
      const text = pieces.join("")
      return messages.block("text", pieces, { type: "text", text }, { end: { content: text } })
    },
    thinking: (pieces) => {
      const thinking = pieces.join("")
      const block = { type: "thinking", thinking, thinkingSignature: "c2lnbmVk" }
      return messages.block("thinking", pieces, block, { end: { content: thinking } })
    },
    newToolId: () => `toolu_${String(++calls).padStart(4, "0")}`,
    toolStart: ({ id, name, input }) => {
      const isParallel = running > 0 && !messages.isOpen()
      running++
      const start = { type: "tool_execution_start", toolCallId: id, toolName: name, args: input }
      // Pi starts the calls of a message when that is whole: only the first is known to it here.
      if (isParallel) return [start]
      const call = { type: "toolCall", id, name, arguments: input }
      const lines = messages.block("toolcall", [JSON.stringify(input)], call, {
        start: { id, toolName: name },
        end: { toolCall: call }
      })
      return [...lines, ...messages.close({ stopReason: "toolUse" }).end, start]
    },
    toolEnd: ({ id, name }, { output, isError }) => {
      running--
      const content = [{ type: "text", text: output }]
      const about = { toolCallId: id, toolName: name }
      const message = { role: "toolResult", ...about, content, isError, timestamp: Date.parse(timestamp) }
      return [
        { type: "tool_execution_end", ...about, result: { content }, isError },
        { type: "message_start", message },
        { type: "message_end", message },
        ...(running === 0 ? [{ type: "turn_start" }] : [])
      ]
    },
    retry: ({ attempt, maxRetries: maxAttempts, delayMs }) => {
      const errorMessage = failureOf({ type: "error", kind: "overloaded" }, refuse)
      return [
        ...over({ stopReason: "error", errorMessage }),
        { type: "auto_retry_start", attempt, maxAttempts, delayMs, errorMessage },
        { type: "agent_start" },
        { type: "turn_start" },
        ...messages.begin()
      ]
    },
    error: (step) => ({
      lines: [...over({ stopReason: "error", errorMessage: failureOf(step, refuse) }), settled()],
      exitCode: 0
    }),
    result: (step) => [...over({ usage: usageOf(step) }), settled(step.fields)]
  }
}

export const pi: Dialect = {
  name: "Pi",
  sessionId: "55555555-5555-4555-8555-555555555555",
  liveArgument: "rpc",
  sessionArguments: { named: [], resumed: ["--session"], forked: ["--fork"] },
  speaker
}
