/**
 * `codex exec` (0.169.0) without its sandbox. As the real one it dies at once by SIGTERM, with its tool's shell but not
 * with what runs under that, and takes the whole tool with it on SIGINT.
 */
import { writeFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { note, value } from "./cell.mjs"
import { play } from "./play.mjs"
import { endShell, endTool } from "./tool.mjs"

let count = 0
const message = (words) => ({
  type: "item.completed",
  item: { id: `item_${++count}`, type: "agent_message", text: words }
})
const command = (type, id, fields) => ({
  type,
  item: { id, type: "command_execution", command: "/bin/bash -lc serve", ...fields }
})

/** `--output-last-message FILE`: the last answer, written when the turn is complete. */
const keepLast = (words) => {
  const at = value.findIndex((argument) => argument === "-o" || argument === "--output-last-message")
  if (at !== -1) writeFileSync(value[at + 1], words)
}

const format = {
  begin: () => [
    { type: "thread.started", thread_id: "01a1f802-06c6-78f1-9ae4-5b24236a7340" },
    { type: "turn.started" }
  ],
  text: (words) => [message(words)],
  toolStart: (id) => [command("item.started", id, { aggregated_output: "", exit_code: null, status: "in_progress" })],
  toolOutput: (id, output) =>
    command("item.completed", id, { aggregated_output: output, exit_code: 0, status: "completed" }),
  result: (words) => {
    keepLast(words)
    const usage = { input_tokens: 10, cached_input_tokens: 0, cache_write_input_tokens: 0, output_tokens: 5 }
    return [{ type: "turn.completed", usage: { ...usage, reasoning_output_tokens: 0 } }]
  }
}

process.on("SIGTERM", () => {
  endShell()
  process.removeAllListeners("SIGTERM")
  process.kill(process.pid, "SIGTERM")
})
process.on("SIGINT", () => {
  endTool()
  process.exit(1)
})

note("cli")
await text(process.stdin)
await play(format)
