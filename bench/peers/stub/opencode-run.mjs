/** `opencode run --format json`: whole blocks of text, and a tool only when it has ended. */
import { text } from "node:stream/consumers"
import { play } from "./play.mjs"

const sessionID = "ses_1"
let count = 0
const line = (type, part) => ({
  type,
  timestamp: Date.now(),
  sessionID,
  part: { id: `prt_${++count}`, sessionID, messageID: "msg_1", ...part }
})
const tokens = { total: 15, input: 10, output: 5, reasoning: 0, cache: { write: 0, read: 0 } }
const time = { start: 1, end: 2 }

const format = {
  begin: () => [line("step_start", { type: "step-start" })],
  text: (words) => [line("text", { type: "text", text: words, time })],
  toolStart: () => [],
  toolOutput: (callID, output) =>
    line("tool_use", {
      type: "tool",
      tool: "bash",
      callID,
      state: { status: "completed", input: { command: "serve" }, output, metadata: {}, title: "serve", time }
    }),
  result: () => [line("step_finish", { type: "step-finish", reason: "stop", tokens, cost: 0.001 })]
}

await text(process.stdin)
await play(format)
