/** Gemini CLI's stream-json for fakes (0.61.0): text deltas, no thoughts or retries, a `result`; echoes the prompt. */
import { countOf, type Dialect, defaultUsage, type Lines, type Speaker, timestamp } from "../dialect.ts"
import type { ErrorStep, FailureKind, Fields, ResultStep } from "../Steps.ts"

interface ApiFailure {
  readonly code: number
  readonly status?: string
  readonly message: string
  readonly reason?: string
}

const apiFailures: { readonly [Kind in FailureKind]?: ApiFailure } = {
  auth: { code: 400, status: "INVALID_ARGUMENT", message: "API key not valid.", reason: "API_KEY_INVALID" },
  billing: { code: 402, message: "Payment required." },
  permission: { code: 403, status: "PERMISSION_DENIED", message: "Permission denied." },
  rate_limit: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Resource has been exhausted." },
  overloaded: { code: 529, message: "overloaded" },
  context_overflow: {
    code: 400,
    status: "INVALID_ARGUMENT",
    message: "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."
  },
  invalid_request: { code: 400, status: "INVALID_ARGUMENT", message: "Request contains an invalid argument." }
}

const tooMany =
  "[API Error: Too many requests]\nPlease wait and try again later. To increase your limits, request a quota increase " +
  "through AI Studio, or switch to another /auth method"

interface GeminiFailure {
  readonly problem: Fields
  readonly exitCode: number
}

const failure = (message: string, exitCode: number): GeminiFailure => ({
  problem: { type: "unknown", message },
  exitCode
})

const detailsOf = ({ reason }: ApiFailure, retryAfterMs: number | undefined) => {
  const details = [
    ...(reason === undefined ? [] : [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason }]),
    ...(retryAfterMs === undefined
      ? []
      : [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterMs / 1000}s` }])
  ]
  return details.length === 0 ? {} : { details }
}

/** Output for a failing model API (0.61.0): mostly its JSON in a text. Exit code: the lowest 8 bits of the status. */
const failureOf = ({ kind, message, retryAfterMs }: ErrorStep, refuse: (problem: string) => never): GeminiFailure => {
  if (kind === "other") return failure(message ?? "something went wrong", 1)
  if (kind === "network") {
    return message === undefined ? failure("[API Error: terminated]", 1) : refuse("it has one message for network")
  }
  if (kind === "rate_limit" && message === undefined && retryAfterMs === undefined) return failure(tooMany, 429 % 256)
  const known = apiFailures[kind]
  if (known === undefined) return refuse(`it knows no ${JSON.stringify(kind)}`)
  if (kind === "context_overflow" && message !== undefined) refuse("it has one message for context_overflow")
  const { reason: _, ...api } = known
  const error = { ...api, ...(message === undefined ? {} : { message }), ...detailsOf(known, retryAfterMs) }
  return failure(`[API Error: ${JSON.stringify({ error })}]`, known.code % 256)
}

const model = "fake"

const speaker: Dialect["speaker"] = ({ sessionId, prompt, refuse }): Speaker => {
  let tools = 0
  const line = (type: string, fields: Fields) => ({ type, timestamp, ...fields })
  const result = (status: string, usage: Required<ResultStep>["usage"], fields: Fields = {}): Lines => {
    const cached = usage.cacheReadTokens ?? 0
    const { inputTokens: input, outputTokens: output } = usage
    const counts = {
      total_tokens: (input ?? 0) + cached + (output ?? 0),
      ...countOf("input_tokens", input === undefined ? undefined : input + cached),
      ...countOf("output_tokens", output),
      cached,
      ...countOf("input", input)
    }
    const duration = status === "success" ? 1 : 0
    const stats = { ...counts, duration_ms: duration, tool_calls: tools, models: { [model]: counts } }
    return [line("result", { status, stats, ...fields })]
  }

  return {
    session: ({ model: named = model, fields }) => [
      line("init", { session_id: sessionId, model: named, ...fields }),
      line("message", { role: "user", content: prompt })
    ],
    text: (pieces) => pieces.map((content) => line("message", { role: "assistant", content, delta: true })),
    newToolId: (name) => `${name}__${name}_${tools}`,
    toolStart: ({ id, name, input }) => {
      tools++
      return [line("tool_use", { tool_name: name, tool_id: id, parameters: input })]
    },
    toolEnd: ({ id }, { output, isError }) => {
      const error = { type: "unhandled_exception", message: output }
      return [
        isError
          ? line("tool_result", { tool_id: id, status: "error", output, error })
          : line("tool_result", { tool_id: id, status: "success", ...(output === "" ? {} : { output }) })
      ]
    },
    error: (step) => {
      const { problem, exitCode } = failureOf(step, refuse)
      return { lines: result("error", { inputTokens: 0, outputTokens: 0 }, { error: problem }), exitCode }
    },
    result: ({ usage = defaultUsage, costUsd, fields }) => {
      if (costUsd !== undefined) refuse("it tells no cost")
      if (usage.cacheWriteTokens !== undefined) refuse("it tells no cacheWriteTokens")
      return result("success", usage, fields)
    }
  }
}

export const gemini: Dialect = {
  name: "Gemini CLI",
  sessionId: "22222222-2222-4222-8222-222222222222",
  liveArgument: "--acp",
  sessionArguments: { named: ["--session-id"], resumed: ["--resume", "-r"], forked: [] },
  speaker
}
