/** Wire lines of Claude Code for scripted processes: the few that decide about a run. */

export const init = (fields: object = {}) => ({
  type: "system",
  subtype: "init",
  session_id: "session-1",
  tools: [],
  mcp_servers: [],
  model: "scripted",
  apiKeySource: "none",
  ...fields
})

export const text = (delta: string) => ({
  type: "stream_event",
  event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: delta } },
  api_message_id: "msg_1",
  parent_tool_use_id: null
})

export const toolUse = (id: string, name = "Bash", parent: string | null = null) => ({
  type: "assistant",
  message: { id: "msg_1", content: [{ type: "tool_use", id, name, input: { command: "sleep 7200" } }] },
  parent_tool_use_id: parent
})

export const toolResult = (id: string, parent: string | null = null) => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: id, content: "ok", is_error: false }] },
  parent_tool_use_id: parent
})

/** The background work that is open from now on. */
export const background = (...ids: ReadonlyArray<string>) => ({
  type: "system",
  subtype: "background_tasks_changed",
  tasks: ids.map((id) => ({ task_id: id, task_type: "local_bash", description: `task ${id}` }))
})

/** A task that was background work has ended by itself; the model is told of it in a turn of its own. */
export const taskEnded = (id: string) => ({
  type: "system",
  subtype: "task_notification",
  task_id: id,
  status: "completed",
  summary: `task ${id} is done`,
  output_file: "/tmp/output"
})

/** A sign of life that gives no event. */
export const keepAlive = { type: "keep_alive" }

export const result = (answer: string, fields: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: answer,
  num_turns: 1,
  total_cost_usd: 0.001,
  ...fields
})

const streamed = (event: object) => ({ type: "stream_event", event, api_message_id: "msg_1", parent_tool_use_id: null })
const counts = { input_tokens: 10, output_tokens: 5 }

/** A whole streamed message, ended for this reason. */
export const message = (answer: string, stopReason = "end_turn"): ReadonlyArray<unknown> => [
  streamed({
    type: "message_start",
    message: { id: "msg_1", model: "scripted", usage: { ...counts, output_tokens: 1 } }
  }),
  text(answer),
  streamed({ type: "message_delta", delta: { stop_reason: stopReason }, usage: counts }),
  streamed({ type: "message_stop" })
]

/** A hook of the settings starts or ends. */
export const hook = (subtype: "hook_started" | "hook_response", id = "h1") => ({
  type: "system",
  subtype,
  hook_id: id,
  hook_name: "Stop",
  hook_event: "Stop"
})
