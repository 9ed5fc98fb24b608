/** Claude Code's stream-json for fakes (2.1.328): main-thread blocks come as deltas, then whole; one `result` last. */
import { countOf, type Dialect, defaultCostUsd, defaultUsage, type Lines, type Speaker, timestamp } from "../dialect.ts"
import type { Fields, ResultStep } from "../Steps.ts"
import { makeAnswers, noUsage } from "./claudeAnswers.ts"
import { type ClaudeFailure, failures } from "./claudeFailures.ts"

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

/** `line` adds the fields of every line. */
const makeEnds = (line: (fields: Fields) => unknown, model: string) => {
  let turns = 1
  let lastText = ""
  let structured: Fields = {}
  let results = 0
  let totalCostUsd = 0
  const result = (fields: Fields): unknown => {
    const resultLine = line({
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
    return resultLine
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
    setText: (text: string) => {
      lastText = text
    },
    /** Under `--json-schema`: the turn ends at the call of its tool. */
    setAnswer: (value: unknown) => {
      lastText = JSON.stringify(value)
      structured = { structured_output: value, stop_reason: "tool_use" }
    },
    /** Counts one more request to the model, after tools. */
    countTurn: () => {
      turns++
    },
    failed,
    succeeded: (step: ResultStep): Lines => {
      totalCostUsd += step.costUsd ?? defaultCostUsd
      return [result({ ...countsOf(step, model), ...structured, ...step.fields })]
    }
  }
}

const model = "fake"

const speaker: Dialect["speaker"] = ({ sessionId, workingDirectory, permissionMode, refuse }): Speaker => {
  let uuids = 0
  let tools = 0
  const line = (fields: Fields) => ({
    ...fields,
    session_id: sessionId,
    uuid: `00000000-0000-4000-8000-${String(++uuids).padStart(12, "0")}`
  })
  const { block, close } = makeAnswers(line, model)
  const ends = makeEnds(line, model)
  const newToolId = () => `toolu_${String(++tools).padStart(4, "0")}`
  const toolStart = (id: string, name: string, input: unknown) =>
    block({ type: "tool_use", id, name, input }, [{ type: "input_json_delta", partial_json: JSON.stringify(input) }])
  const toolEnd = (id: string, output: string, isError: boolean) => {
    ends.countTurn()
    const content = [{ tool_use_id: id, type: "tool_result", content: output, is_error: isError }]
    const message = { role: "user", content }
    return [...close("tool_use"), line({ type: "user", message, parent_tool_use_id: null, timestamp })]
  }

  return {
    session: ({ model: named = model, fields }) => [
      line({
        type: "system",
        subtype: "init",
        cwd: workingDirectory,
        tools: [],
        mcp_servers: [],
        model: named,
        permissionMode,
        slash_commands: [],
        apiKeySource: "none",
        claude_code_version: "2.1.328",
        output_style: "default",
        ...fields
      })
    ],
    text: (pieces) => {
      const text = pieces.join("")
      ends.setText(text)
      return block(
        { type: "text", text },
        pieces.map((piece) => ({ type: "text_delta", text: piece }))
      )
    },
    thinking: (pieces) =>
      block({ type: "thinking", thinking: pieces.join(""), signature: "c2lnbmVk" }, [
        ...pieces.map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: "c2lnbmVk" }
      ]),
    answer: (value) => {
      const id = newToolId()
      const call = toolStart(id, "StructuredOutput", value)
      const returned = toolEnd(id, "Structured output provided successfully", false)
      ends.setAnswer(value)
      return [...call, ...returned]
    },
    newToolId,
    toolStart: ({ id, name, input }) => toolStart(id, name, input),
    toolEnd: ({ id }, { output, isError }) => toolEnd(id, output, isError),
    retry: ({ attempt, maxRetries, delayMs }) => [
      line({
        type: "system",
        subtype: "api_retry",
        attempt,
        max_retries: maxRetries,
        retry_delay_ms: delayMs,
        error_status: 529,
        error: "overloaded"
      })
    ],
    error: ({ kind, message, retryAfterMs }) => {
      const known =
        failures[kind] ?? refuse(`it says "auth" where the API denies a permission, not ${JSON.stringify(kind)}`)
      const words = message ?? known.message
      const resetsAt = retryAfterMs === undefined ? undefined : (Date.parse(timestamp) + retryAfterMs) / 1000
      return { lines: [...close("end_turn"), ...ends.failed({ kind: known, words, resetsAt })], exitCode: 1 }
    },
    result: (step) => [...close("end_turn"), ...ends.succeeded(step)]
  }
}

export const claude: Dialect = {
  name: "Claude Code",
  sessionId: "11111111-1111-4111-8111-111111111111",
  liveArgument: "--permission-prompt-tool",
  modeArgument: "--permission-mode",
  sessionArguments: { named: ["--session-id"], resumed: ["--resume", "-r"], forked: ["--fork-session"] },
  speaker
}
