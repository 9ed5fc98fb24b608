/**
 * Claude Code's stream-json for fakes (2.1.328): every block of the main thread comes twice, as deltas and whole; a tool
 * call ends its message; the end is one `result`.
 */
import { type Dialect, type Speaker, timestamp } from "../dialect.ts"
import type * as Steps from "../Steps.ts"
import { makeAnswers } from "./claudeAnswers.ts"
import { makeEnds } from "./claudeEnds.ts"
import { failures } from "./claudeFailures.ts"

const model = "fake"

const speaker: Dialect["speaker"] = ({ sessionId, workingDirectory, permissionMode, refuse }): Speaker => {
  let uuids = 0
  let tools = 0

  const line = (fields: Steps.Fields) => ({
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
    ends.turned()
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
      ends.said(text)
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
      ends.answered(value)
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
