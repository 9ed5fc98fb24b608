/** A live session of `@anthropic-ai/claude-agent-sdk`: `query` with an async iterable of prompts. */
import { query } from "@anthropic-ai/claude-agent-sdk"

/** @param {string} command */
export const openSdk = async (command) => {
  /** @type {Array<import("@anthropic-ai/claude-agent-sdk").SDKUserMessage>} */
  const prompts = []
  let isOpen = true
  /** @type {(nothing?: undefined) => void} */
  let wake = () => {}
  async function* input() {
    while (isOpen) {
      for (const prompt of prompts.splice(0)) yield prompt
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
    turn: async (/** @type {string} */ content) => {
      prompts.push({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" })
      wake()
      let text = ""
      for (;;) {
        const { value: message } = await messages.next()
        if (message === undefined) throw new Error("the session has ended")
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
