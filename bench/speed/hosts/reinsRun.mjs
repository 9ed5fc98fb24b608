/** One run through the plain door of Reins by `run()`, its events looked at as they come. */
import { createAgent } from "../../../dist/promise.js"
import { measure, task, whatWasRead } from "./measure.mjs"

await measure(async () => {
  await using agent = createAgent(task.cli, { command: task.command })
  const known = { text: "", toolCalls: 0, outputCharacters: 0, told: "nothing" }
  const { text, outcome } = await agent.run(
    { prompt: "hello" },
    {
      onEvent: (event) => {
        if (event.type !== "tool_result") return
        known.toolCalls += 1
        known.outputCharacters += event.output.length
      }
    }
  )
  return { ...known, text, told: outcome === "completed" ? "success" : outcome }
}, whatWasRead)
