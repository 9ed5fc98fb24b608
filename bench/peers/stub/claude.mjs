/**
 * Claude Code (2.1.328) as far as a run needs it: text and stream-json input, the answer to `initialize`, partial
 * messages when asked for. As the real one it takes its tool with it on a stop signal, and does not end a turn because
 * its stdin has ended.
 */
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { note, plan, say, value } from "./cell.mjs"
import { play, staysWithoutStdin } from "./play.mjs"
import { endTool } from "./tool.mjs"

const session_id = "11111111-2222-4333-8444-555555555555"
const model = "claude-opus-5-5"
const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 }
const isPartial = value.includes("--include-partial-messages")
const isInteractive = /--input-format[ =]stream-json/.test(value.join(" "))

let count = 0
const own = (line) => {
  const uuid = `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`
  return { ...line, parent_tool_use_id: null, session_id, uuid }
}

const message = (content) => {
  const id = `msg_${++count}`
  const about = { id, type: "message", role: "assistant", model, stop_reason: null, stop_sequence: null, usage }
  const whole = own({ type: "assistant", message: { ...about, content: [content] } })
  if (!isPartial) return [whole]
  const event = (fields) => own({ type: "stream_event", event: fields, api_message_id: id })
  const isText = content.type === "text"
  const delta = isText
    ? { type: "text_delta", text: content.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(content.input) }
  return [
    event({ type: "message_start", message: { ...about, content: [] } }),
    event({
      type: "content_block_start",
      index: 0,
      content_block: isText ? { type: "text", text: "" } : { ...content, input: {} }
    }),
    event({ type: "content_block_delta", index: 0, delta }),
    whole,
    event({ type: "content_block_stop", index: 0 }),
    event({
      type: "message_delta",
      delta: { stop_reason: isText ? "end_turn" : "tool_use", stop_sequence: null },
      usage
    }),
    event({ type: "message_stop" })
  ]
}

const format = {
  begin: () => [
    {
      type: "system",
      subtype: "init",
      cwd: process.cwd(),
      session_id,
      tools: ["Bash"],
      mcp_servers: [],
      model,
      permissionMode: "default",
      slash_commands: [],
      apiKeySource: "none",
      claude_code_version: plan.version.split(" ")[0],
      output_style: "default",
      agents: [],
      skills: [],
      plugins: [],
      uuid: "00000000-0000-4000-8000-000000000000"
    }
  ],
  text: (words) => message({ type: "text", text: words }),
  toolStart: (id) => message({ type: "tool_use", id, name: "Bash", input: { command: "serve" } }),
  toolOutput: (id, output) =>
    own({
      type: "user",
      message: { role: "user", content: [{ tool_use_id: id, type: "tool_result", content: output, is_error: false }] }
    }),
  result: (words) => [
    {
      type: "result",
      subtype: "success",
      is_error: false,
      terminal_reason: "completed",
      result: words,
      stop_reason: "end_turn",
      num_turns: 1,
      duration_ms: 100,
      duration_api_ms: 50,
      total_cost_usd: 0.001,
      usage,
      modelUsage: {},
      permission_denials: [],
      session_id,
      uuid: "00000000-0000-4000-8000-ffffffffffff"
    }
  ]
}

const stop = (code) => () => {
  endTool()
  process.exit(code)
}
process.on("SIGTERM", stop(143)).on("SIGINT", stop(0)).on("SIGHUP", stop(129))

note("cli")
if (isInteractive) {
  const input = createInterface({ input: process.stdin })
  input.on("line", (line) => {
    const { type, request_id, request } = JSON.parse(line)
    if (type === "user") return play(format)
    if (type !== "control_request" || plan.fault === "silent") return
    const response = request.subtype === "initialize" ? { commands: [], agents: [], models: [], account: {} } : {}
    say({ type: "control_response", response: { subtype: "success", request_id, response } })
  })
  // The turn goes on without its stdin, and so does a tool.
  input.on("close", () => staysWithoutStdin || plan.fault === "tool" || process.exit(0))
} else {
  await text(process.stdin)
  await play(format)
}
