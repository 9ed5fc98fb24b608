/**
 * Gemini CLI's stream-json for fakes (0.61.0): text in deltas with no blocks, no thoughts and no retries, and one `result`
 * at the end. The prompt is echoed as the second line.
 */
import { countOf, type Dialect, defaultUsage, type Lines, type Speaker, timestamp } from "../dialect.ts"
import type * as Steps from "../Steps.ts"
import { failureOf } from "./geminiFailures.ts"

const model = "fake"

const speaker: Dialect["speaker"] = ({ sessionId, prompt, refuse }): Speaker => {
  let tools = 0

  const line = (type: string, fields: Steps.Fields) => ({ type, timestamp, ...fields })

  const result = (status: string, usage: Required<Steps.ResultStep>["usage"], fields: Steps.Fields = {}): Lines => {
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
