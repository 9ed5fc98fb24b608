/** A live session through the plain door of Reins, as it was built last. */
import { task } from "./measure.mjs"

const { createAgent } = await import(task.door ?? "../../../dist/promise.js")

/** @param {string} command */
export const makeOpen = (command) => {
  const agent = createAgent("claude", { command })
  return async () => {
    const session = await agent.open()
    return {
      turn: async (/** @type {string} */ prompt) => {
        let text = ""
        for await (const event of session.turn(prompt)) {
          if (event.type === "text") text += event.text
        }
        return text
      },
      close: () => session.close()
    }
  }
}
