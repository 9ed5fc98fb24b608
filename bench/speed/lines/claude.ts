/**
 * The output of Claude Code with `--include-partial-messages` (2.1.328). A turn has 100 lines: a thought, 69 deltas of
 * text, a tool call, its output of 1 KB. Lines are made when they are asked for, so that what is said can carry the time
 * at which it is said.
 */
import {
  type MessageLines,
  messageLines,
  openingLine,
  outputLine,
  print,
  requesting,
  resultLine
} from "./claudeWire.ts"
import type { Part } from "./part.ts"
import { makeSay, type Say, toolOutput } from "./words.ts"

/** 14 lines. */
function* thought({ blockStart, delta, whole, blockStop }: MessageLines) {
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

/** `deltas` and 3 lines; `end` is said last. Gives what was said. */
function* speech({ blockStart, delta, whole, blockStop }: MessageLines, deltas: number, say: Say, end = "") {
  let content = ""
  yield blockStart(1, { type: "text", text: "" })
  for (let nth = 0; nth < deltas; nth++) {
    const text = nth === deltas - 1 ? say() + end : say()
    content += text
    yield delta(1, { type: "text_delta", text })
  }
  yield whole({ type: "text", text: content })
  yield blockStop(1)
  return content
}

/** 12 lines, the tool's output among them. */
function* toolCall({ blockStart, delta, whole, blockStop, end }: MessageLines, call: number) {
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

export const turnLines = 100

function* turn(nth: number, say: Say) {
  const lines = messageLines(`msg_${String(nth).padStart(6, "0")}`)
  yield requesting()
  yield lines.start()
  yield* thought(lines)
  // With the empty line before what follows, which Reins would add: so all readers come to the same text.
  const content: string = yield* speech(lines, 69, say, "\n\n")
  yield* toolCall(lines, nth)
  return content
}

/** The last answer, which calls no tool: `deltas` and 7 lines, and the result. */
function* answer(deltas: number, say: Say) {
  const lines = messageLines("msg_last")
  yield requesting()
  yield lines.start()
  const content: string = yield* speech(lines, deltas, say)
  yield* lines.end("end_turn")
  yield resultLine(content)
  return content
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

export const turns = (requested: number): Part => {
  const say = makeSay()
  const all = Array.from({ length: requested }, (_, nth) => collect(turn(nth, say)))
  return {
    lines: all.flatMap(({ lines }) => lines),
    text: all.map(({ text }) => text).join(""),
    toolCalls: requested,
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
