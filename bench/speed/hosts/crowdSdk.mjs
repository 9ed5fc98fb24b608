/** A crowd of `query`s of `@anthropic-ai/claude-agent-sdk`. */
import { query } from "@anthropic-ai/claude-agent-sdk"
import { measureCrowd } from "./crowd.mjs"
import { task } from "./measure.mjs"

await measureCrowd(async (pipe, received) => {
  const env = { ...process.env, REINS_BENCH_PIPE: pipe }
  const options = { pathToClaudeCodeExecutable: task.command, includePartialMessages: true, env }
  for await (const message of query({ prompt: "hello", options })) {
    if (message.type !== "stream_event" || message.event.type !== "content_block_delta") continue
    if (message.event.delta.type === "text_delta") received(message.event.delta.text)
  }
})
