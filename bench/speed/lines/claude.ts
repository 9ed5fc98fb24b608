/**
 * What Claude Code prints with `--include-partial-messages` (2.1.328; the shape of every line is that of the recordings
 * in `fixtures/claude`). A turn has 100 lines: a thought, 66 deltas of text, a tool call, its output of 1 KB. Lines are
 * made when they are asked for, so that what is said can carry the time at which it is said.
 */
import type { Part } from "./part.ts"
import { makeSay, type Say, toolOutput } from "./words.ts"

const session_id = "2b0ddc2d-2af2-4af4-80c1-75a7a78c9c93"
const model = "claude-opus-5-5"
const usage = { input_tokens: 100, cache_creation_input_tokens: 20, cache_read_input_tokens: 3000, output_tokens: 1 }

let count = 0
const uuid = () => `2756f1aa-4c55-46af-9bc3-${String(++count).padStart(12, "0")}`
const print = (line: object) => JSON.stringify({ ...line, session_id, uuid: uuid() })

const messageLines = (id: string) => {
  const about = { id, type: "message", role: "assistant", model }
  const event = (fields: object) =>
    print({ type: "stream_event", event: fields, parent_tool_use_id: null, api_message_id: id })
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

const requesting = () => print({ type: "system", subtype: "status", status: "requesting" })

/** 14 lines. */
function* thought({ blockStart, delta, whole, blockStop }: ReturnType<typeof messageLines>) {
  const signature = "c2lnbmF0dXJl".repeat(20)
  yield blockStart(0, { type: "thinking", thinking: "", signature: "" })
  for (let nth = 1; nth <= 5; nth++) {
    yield print({ type: "system", subtype: "thinking_tokens", estimated_tokens: 2 * nth, estimated_tokens_delta: 2 })
    yield delta(0, { type: "thinking_delta", thinking: "Let me think. " })
  }
  yield delta(0, { type: "signature_delta", signature })
  yield whole({ type: "thinking", thinking: "Let me think. ".repeat(5), signature })
  yield blockStop(0)
}

/** `deltas` and 3 lines. Gives what was said. */
function* speech({ blockStart, delta, whole, blockStop }: ReturnType<typeof messageLines>, deltas: number, say: Say) {
  let said = ""
  yield blockStart(1, { type: "text", text: "" })
  for (let nth = 0; nth < deltas; nth++) {
    const text = say()
    said += text
    yield delta(1, { type: "text_delta", text })
  }
  yield whole({ type: "text", text: said })
  yield blockStop(1)
  return said
}

/** 12 lines, the tool's output among them. */
function* toolCall({ blockStart, delta, whole, blockStop, end }: ReturnType<typeof messageLines>, call: number) {
  const id = `toolu_${call}`
  const input = { command: `grep -rn "expect" src/part-${call}`, description: "look for expectations" }
  const json = JSON.stringify(input)
  const step = Math.ceil(json.length / 6)
  yield blockStart(2, { type: "tool_use", id, name: "Bash", input: {} })
  for (let from = 0; from < 6 * step; from += step) {
    yield delta(2, { type: "input_json_delta", partial_json: json.slice(from, from + step) })
  }
  yield whole({ type: "tool_use", id, name: "Bash", input })
  yield blockStop(2)
  yield* end("tool_use")
  yield outputLine(id, toolOutput(call))
}

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

export const turnLines = 100

function* turn(nth: number, say: Say) {
  const lines = messageLines(`msg_${String(nth).padStart(6, "0")}`)
  yield requesting()
  yield lines.start()
  yield* thought(lines)
  const said: string = yield* speech(lines, 69, say)
  yield* toolCall(lines, nth)
  return said
}

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

/** The last answer, which calls no tool: `deltas` and 7 lines, and the result. */
function* answer(deltas: number, say: Say) {
  const lines = messageLines("msg_last")
  yield requesting()
  yield lines.start()
  const said: string = yield* speech(lines, deltas, say)
  yield* lines.end("end_turn")
  yield resultLine(said)
  return said
}

/** Lines around the deltas of an answer with its result. */
const answerFrame = 8

/** A whole run of exactly so many lines. */
export function* runOf(lines: number, say: Say): Generator<string, void> {
  yield openingLine()
  const rest = lines - 1 - answerFrame - 1
  for (let nth = 0; nth < Math.floor(rest / turnLines); nth++) yield* turn(nth, say)
  yield* answer((rest % turnLines) + 1, say)
}

const collect = (lines: Generator<string, string>): { lines: Array<string>; text: string } => {
  const all: Array<string> = []
  for (let next = lines.next(); ; next = lines.next()) {
    if (next.done === true) return { lines: all, text: next.value }
    all.push(next.value)
  }
}

export const opening = (): Part => ({ lines: [openingLine()], text: "", toolCalls: 0, outputCharacters: 0 })

export const turns = (wanted: number): Part => {
  const say = makeSay()
  const all = Array.from({ length: wanted }, (_, nth) => collect(turn(nth, say)))
  return {
    lines: all.flatMap(({ lines }) => lines),
    text: all.map(({ text }) => text).join(""),
    toolCalls: wanted,
    outputCharacters: all.reduce((sum, _, nth) => sum + toolOutput(nth).length, 0)
  }
}

/** Ends a run with so many lines. */
export const closing = (lines: number): Part => {
  const rest = lines - answerFrame - 1
  const before = turns(Math.floor(rest / turnLines))
  const last = collect(answer((rest % turnLines) + 1, makeSay()))
  return { ...before, lines: [...before.lines, ...last.lines], text: before.text + last.text }
}
