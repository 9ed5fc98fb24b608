/** OpenCode's `run --format json` for fakes (1.18.33): a step per model call, whole blocks, finished tools only. */
import {
  countOf,
  type Dialect,
  defaultCostUsd,
  defaultUsage,
  type Lines,
  type Speaker,
  timestampMs
} from "../dialect.ts"
import type { ErrorStep, FailureKind, Fields, ToolEndStep, ToolStartStep } from "../Steps.ts"

interface Known {
  readonly name: string
  readonly status?: number
  readonly message: string
  readonly isRetryable?: boolean
}

const known: Readonly<Record<FailureKind, Known>> = {
  auth: { name: "APIError", status: 401, message: "Invalid API key", isRetryable: false },
  billing: { name: "APIError", status: 402, message: "Payment required", isRetryable: false },
  permission: { name: "APIError", status: 403, message: "Permission denied", isRetryable: false },
  rate_limit: { name: "APIError", status: 429, message: "Too many requests", isRetryable: true },
  overloaded: { name: "APIError", status: 503, message: "Service unavailable", isRetryable: true },
  context_overflow: { name: "ContextOverflowError", message: "This model's maximum context length is 128000 tokens." },
  invalid_request: { name: "APIError", status: 400, message: "Bad request", isRetryable: false },
  network: {
    name: "APIError",
    message: "Unable to connect. Is the computer able to access the url?",
    isRetryable: true
  },
  other: { name: "UnknownError", message: "something went wrong" }
}

/** The only sign of a failed connection. */
const notConnected = "Cannot connect to API: "

/** OpenCode's output for a failing model API (1.18.33): one `error` line, with the HTTP status where there was one. */
const failureOf = ({ kind, message, retryAfterMs }: ErrorStep, refuse: (problem: string) => never): Fields => {
  if (!Object.hasOwn(known, kind)) refuse(`it knows no ${JSON.stringify(kind)}`)
  const { name, status, message: usual, isRetryable } = known[kind]
  const headers = retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) }
  const data = {
    message: `${kind === "network" ? notConnected : ""}${message ?? usual}`,
    ...(status === undefined ? {} : { statusCode: status }),
    ...(isRetryable === undefined ? {} : { isRetryable, responseHeaders: headers })
  }
  return { name, data }
}

const time = { start: timestampMs, end: timestampMs }
const noTokens = { total: 0, input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

const stateOf = ({ name, input }: ToolStartStep, { output, isError }: ToolEndStep): Fields => {
  // A command that fails has "completed" all the same; only its exit code tells.
  const metadata = name === "bash" ? { output, exit: isError ? 1 : 0, truncated: false } : { truncated: false }
  if (isError && name !== "bash") return { status: "error", input, error: output, time }
  return { status: "completed", input, output, metadata, title: name, time }
}

const speaker: Dialect["speaker"] = ({ sessionId, refuse }): Speaker => {
  let parts = 0
  let messages = 0
  let calls = 0
  let running = 0
  let isOpen = false
  let hasCalled = false
  const messageID = () => `msg_${String(messages).padStart(4, "0")}`
  const line = (type: string, fields: Fields) => ({ type, timestamp: timestampMs, sessionID: sessionId, ...fields })
  const part = (type: string, partType: string, fields: Fields = {}) => {
    const id = `prt_${String(++parts).padStart(4, "0")}`
    return line(type, { part: { id, messageID: messageID(), sessionID: sessionId, type: partType, ...fields } })
  }
  const stepStart = () => part("step_start", "step-start")
  const close = (reason: string, fields: Fields = {}): Lines => {
    if (!isOpen) return []
    isOpen = false
    return [part("step_finish", "step-finish", { reason, tokens: noTokens, cost: 0, ...fields })]
  }

  /** One step is one answer of the model: text after the outcome of its tools is the next. */
  const begin = (): Lines => {
    if (isOpen && !(hasCalled && running === 0)) return []
    const closing = close("tool-calls")
    isOpen = true
    hasCalled = false
    messages++
    return [...closing, stepStart()]
  }

  const block = (type: string, pieces: ReadonlyArray<string>): Lines => [
    ...begin(),
    part(type, type, { text: pieces.join(""), time })
  ]

  return {
    session: ({ model, fields }) => {
      if (model !== undefined || fields !== undefined) refuse("it has no line for the session, only its first step")
      return begin()
    },
    text: (pieces) => block("text", pieces),
    thinking: (pieces) => block("reasoning", pieces),
    newToolId: () => `call_${++calls}`,
    toolStart: () => {
      const opening = begin()
      running++
      hasCalled = true
      return opening
    },
    toolEnd: (start, end) => {
      running--
      return [part("tool_use", "tool", { tool: start.name, callID: start.id, state: stateOf(start, end) })]
    },
    retry: () => [...begin(), stepStart()],
    error: (step) => ({
      lines: [...(hasCalled ? close("tool-calls") : []), line("error", { error: failureOf(step, refuse) })],
      exitCode: 1
    }),
    result: ({ usage = defaultUsage, costUsd: cost = defaultCostUsd, fields }) => {
      const { inputTokens: input, outputTokens: output, cacheReadTokens: read = 0, cacheWriteTokens: write = 0 } = usage
      const total = (input ?? 0) + (output ?? 0) + read + write
      const counts = { ...countOf("input", input), ...countOf("output", output) }
      const tokens = { total, ...counts, reasoning: 0, cache: { read, write } }
      return [...begin(), ...close("stop", { tokens, cost, ...fields })]
    }
  }
}

export const opencode: Dialect = {
  name: "OpenCode",
  sessionId: "ses_4444444444444444444444444444",
  liveArgument: "acp",
  sessionArguments: { named: [], resumed: ["--session", "-s"], forked: ["--fork"] },
  speaker
}
