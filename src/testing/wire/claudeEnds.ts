/** How a turn of Claude Code ends on the wire (2.1.328): one `result`, behind a synthetic answer where the API refused. */
import { countOf, defaultCostUsd, defaultUsage, type Lines, timestamp } from "../dialect.ts"
import type { Fields, ResultStep } from "../Steps.ts"
import { noUsage } from "./claudeAnswers.ts"
import type { ClaudeFailure } from "./claudeFailures.ts"

/** The counts of a successful end, for the whole and by model. */
const countsOf = ({ usage = defaultUsage, costUsd = defaultCostUsd }: ResultStep, model: string): Fields => {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const byModel = {
    [model]: {
      ...countOf("inputTokens", inputTokens),
      ...countOf("outputTokens", outputTokens),
      cacheReadInputTokens: cacheReadTokens,
      cacheCreationInputTokens: cacheWriteTokens,
      webSearchRequests: 0,
      costUSD: costUsd
    }
  }
  const whole = {
    ...countOf("input_tokens", inputTokens),
    ...countOf("output_tokens", outputTokens),
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens
  }
  return { usage: whole, modelUsage: byModel, model_usage_since_last_result: byModel }
}

/** `line` adds what every line has. */
export const makeEnds = (line: (fields: Fields) => unknown, model: string) => {
  let turns = 1
  let lastText = ""
  let structured: Fields = {}
  let results = 0
  let totalCostUsd = 0

  const result = (fields: Fields): unknown => {
    const told = line({
      type: "result",
      subtype: "success",
      is_error: false,
      terminal_reason: "completed",
      result: lastText,
      api_error_status: null,
      stop_reason: "end_turn",
      num_turns: turns,
      duration_ms: 1,
      duration_api_ms: 1,
      total_cost_usd: totalCostUsd,
      usage: noUsage,
      modelUsage: {},
      model_usage_since_last_result: {},
      permission_denials: [],
      queued_turn_count: 0,
      result_index: results++,
      ...fields
    })
    turns = 1
    structured = {}
    return told
  }

  const failed = (failure: ClaudeFailure): Lines => {
    const { words, kind, resetsAt } = failure
    const api = {
      api_error_status: kind.status ?? null,
      ...(kind.type === undefined ? {} : { api_error_type: kind.type })
    }
    const message = {
      id: `error_${results + 1}`,
      type: "message",
      role: "assistant",
      model: "<synthetic>",
      content: [{ type: "text", text: words }],
      stop_reason: "stop_sequence",
      usage: noUsage
    }
    return [
      line({
        type: "assistant",
        message,
        parent_tool_use_id: null,
        timestamp,
        error: kind.error,
        is_api_error_message: true,
        ...api,
        ...(resetsAt === undefined ? {} : { api_error_params: { rate_limit_info: { status: "rejected", resetsAt } } })
      }),
      result({
        ...api,
        ...(kind.apiError === undefined ? {} : { api_error: kind.apiError }),
        is_error: true,
        terminal_reason: kind.terminal ?? "api_error",
        result: words,
        stop_reason: "stop_sequence"
      })
    ]
  }

  return {
    /** The last text is the `result` of a success. */
    said: (text: string) => {
      lastText = text
    },
    /** Under `--json-schema`: the turn ends at the call of its tool. */
    answered: (value: unknown) => {
      lastText = JSON.stringify(value)
      structured = { structured_output: value, stop_reason: "tool_use" }
    },
    /** Tools have answered: the model is asked once more. */
    turned: () => {
      turns++
    },
    failed,
    succeeded: (step: ResultStep): Lines => {
      totalCostUsd += step.costUsd ?? defaultCostUsd
      return [result({ ...countsOf(step, model), ...structured, ...step.fields })]
    }
  }
}
