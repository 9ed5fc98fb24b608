/**
 * The output of `codex exec --json` (0.169.0; the shape of every line is that of the recordings in `fixtures/codex`). A
 * turn has 12 lines: a thought, a message, four commands with an output of 1 KB each, a search.
 */
import type { Part } from "./part.ts"
import { makeSay, type Say, toolOutput } from "./words.ts"

const commandsOfTurn = 4
export const turnLines = 4 + 2 * commandsOfTurn

/** Every item has an id of its own. */
let count = 0
const item = (type: string, fields: object, id = `item_${count++}`) => ({
  started: JSON.stringify({ type: "item.started", item: { id, type, ...fields } }),
  completed: (more: object = {}) => JSON.stringify({ type: "item.completed", item: { id, type, ...fields, ...more } })
})

const content = (type: string, text: string) => item(type, { text }).completed()

const sentence = (say: Say) => Array.from({ length: 8 }, say).join("")

const commandLines = (output: string): ReadonlyArray<string> => {
  const fields = { command: `/bin/bash -lc 'grep -rn "expect" src'`, aggregated_output: "" }
  const { started, completed } = item("command_execution", { ...fields, exit_code: null, status: "in_progress" })
  return [started, completed({ aggregated_output: output, exit_code: 0, status: "completed" })]
}

const searchLines = (query: string): ReadonlyArray<string> => {
  const { started, completed } = item("web_search", { query, action: { type: "search", query } })
  return [started, completed()]
}

/** Two messages are parted by a blank line, so all but the first bring one. */
const laterMessages = (texts: ReadonlyArray<string>) => texts.map((text) => `\n\n${text}`).join("")

/** 3 lines. */
export const opening = (): Part => ({
  lines: [
    JSON.stringify({ type: "thread.started", thread_id: "01a1f7fd-97e8-75c1-8a2d-a6478ebfe880" }),
    JSON.stringify({ type: "turn.started" }),
    content("agent_message", "Let me look.")
  ],
  text: "Let me look.",
  toolCalls: 0,
  outputCharacters: 0
})

export const turns = (requested: number): Part => {
  const say = makeSay()
  const texts = Array.from({ length: requested }, () => sentence(say))
  const outputs = texts.map((_, turn) => Array.from({ length: commandsOfTurn }, (_, nth) => toolOutput(4 * turn + nth)))
  return {
    lines: texts.flatMap((text, turn) => [
      content("reasoning", `**Looking**\n\n${sentence(say)}`),
      content("agent_message", text),
      ...(outputs[turn] ?? []).flatMap(commandLines),
      ...searchLines("how a pipe is read to its end")
    ]),
    text: laterMessages(texts),
    toolCalls: requested * (commandsOfTurn + 1),
    outputCharacters: outputs.flat().reduce((sum, output) => sum + output.length, 0)
  }
}

const turnCompleted = () =>
  JSON.stringify({
    type: "turn.completed",
    usage: { input_tokens: 200, cached_input_tokens: 80, cache_write_input_tokens: 14, output_tokens: 40 }
  })

/** Ends a run with so many lines. */
export const closing = (lines: number): Part => {
  const before = turns(Math.floor((lines - 1) / turnLines))
  const say = makeSay()
  const texts = Array.from({ length: (lines - 1) % turnLines }, () => sentence(say))
  const last = texts.map((text) => content("agent_message", text))
  return {
    ...before,
    lines: [...before.lines, ...last, turnCompleted()],
    text: before.text + laterMessages(texts)
  }
}
