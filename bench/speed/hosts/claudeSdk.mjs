/** `@anthropic-ai/claude-agent-sdk`: `query` with partial messages, read to its end. */
import { query } from "@anthropic-ai/claude-agent-sdk"
import { measure, pause, task, whatWasRead } from "./measure.mjs"

await measure(async () => {
  const known = { text: "", toolCalls: 0, outputCharacters: 0, told: "nothing" }
  const options = { pathToClaudeCodeExecutable: task.command, includePartialMessages: true }
  for await (const message of query({ prompt: "hello", options })) {
    if (pause !== undefined) await pause()
    if (message.type === "stream_event" && message.event.type === "content_block_delta") {
      if (message.event.delta.type === "text_delta") known.text += message.event.delta.text
    }
    if (message.type === "user" && Array.isArray(message.message.content)) {
      for (const block of message.message.content) {
        if (block.type !== "tool_result") continue
        known.toolCalls += 1
        known.outputCharacters += String(block.content).length
      }
    }
    if (message.type === "result") known.told = message.subtype
  }
  return known
}, whatWasRead)
