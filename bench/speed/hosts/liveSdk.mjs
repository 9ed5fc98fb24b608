/** A live session of `@anthropic-ai/claude-agent-sdk`: `query` with an async iterable of prompts. */
import { query } from "@anthropic-ai/claude-agent-sdk"

/** @param {string} command */
export const openSdk = async (command) => {
  const prompts = []
  let isOpen = true
  let wake = () => {}
  async function* input() {
    while (isOpen) {
      while (prompts.length > 0) yield prompts.shift()
      if (isOpen)
        await new Promise((resolve) => {
          wake = resolve
        })
    }
  }
  const messages = query({
    prompt: input(),
    options: { pathToClaudeCodeExecutable: command, includePartialMessages: true }
  })
  await messages.initializationResult()
  return {
    turn: async (content) => {
      prompts.push({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" })
      wake()
      let text = ""
      for (;;) {
        const { value: message } = await messages.next()
        if (message.type === "stream_event" && message.event.type === "content_block_delta") {
          if (message.event.delta.type === "text_delta") text += message.event.delta.text
        }
        if (message.type === "result") return text
      }
    },
    close: async () => {
      isOpen = false
      wake()
      for await (const _ of messages) {
      }
    }
  }
}
