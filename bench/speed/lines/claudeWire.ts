/** Single lines of Claude Code (2.1.328), in the shape that the recordings in `fixtures/claude` have. */

const session_id = "2b0ddc2d-2af2-4af4-80c1-75a7a78c9c93"
const model = "claude-opus-5-5"
const usage = { input_tokens: 100, cache_creation_input_tokens: 20, cache_read_input_tokens: 3000, output_tokens: 1 }

let count = 0
const uuid = () => `2756f1aa-4c55-46af-9bc3-${String(++count).padStart(12, "0")}`
export const print = (line: object) => JSON.stringify({ ...line, session_id, uuid: uuid() })

/** With its members in the order of the recordings. */
const printEvent = (event: object, api_message_id: string) =>
  JSON.stringify({ type: "stream_event", event, session_id, parent_tool_use_id: null, uuid: uuid(), api_message_id })

export const messageLines = (id: string) => {
  const about = { id, type: "message", role: "assistant", model }
  const event = (fields: object) => printEvent(fields, id)
  return {
    start: () => event({ type: "message_start", message: { ...about, content: [], stop_reason: null, usage } }),
    blockStart: (index: number, content_block: object) => event({ type: "content_block_start", index, content_block }),
    delta: (index: number, delta: object) => event({ type: "content_block_delta", index, delta }),
    whole: (block: object) =>
      print({
        type: "assistant",
        message: {
          ...about,
          content: [block],
          stop_reason: null,
          stop_sequence: null,
          usage,
          context_management: null
        },
        parent_tool_use_id: null,
        timestamp: "2026-11-20T08:11:09.454Z",
        request_id: `req_${id}`
      }),
    blockStop: (index: number) => event({ type: "content_block_stop", index }),
    end: (stop_reason: string) => [
      event({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 42 } }),
      event({ type: "message_stop" })
    ]
  }
}

export const requesting = () => print({ type: "system", subtype: "status", status: "requesting" })

export type MessageLines = ReturnType<typeof messageLines>

/** A call and its output by themselves. */
export const toolUseLine = (id: string) =>
  messageLines("msg_call").whole({ type: "tool_use", id, name: "Bash", input: {} })

export const outputLine = (id: string, output: string) =>
  print({
    type: "user",
    message: { role: "user", content: [{ tool_use_id: id, type: "tool_result", content: output, is_error: false }] },
    parent_tool_use_id: null,
    timestamp: "2026-11-20T08:11:09.569Z",
    tool_use_result: { stdout: output, stderr: "", interrupted: false, isImage: false, noOutputExpected: false }
  })

export const openingLine = () =>
  print({
    type: "system",
    subtype: "init",
    cwd: "/workspace",
    tools: ["Task", "Bash", "Edit", "Read", "WebFetch", "WebSearch", "Write"],
    mcp_servers: [],
    model,
    permissionMode: "default",
    slash_commands: ["clear", "compact", "review"],
    apiKeySource: "none",
    claude_code_version: "2.1.328",
    output_style: "default",
    agents: ["general-purpose"],
    skills: [],
    plugins: []
  })

export const resultLine = (text: string) =>
  print({
    type: "result",
    subtype: "success",
    is_error: false,
    terminal_reason: "completed",
    duration_ms: 451,
    duration_api_ms: 112,
    num_turns: 2,
    result: text,
    stop_reason: "end_turn",
    total_cost_usd: 0.00388,
    usage,
    modelUsage: { [model]: { inputTokens: 200, outputTokens: 84, costUSD: 0.00388 } },
    permission_denials: []
  })
