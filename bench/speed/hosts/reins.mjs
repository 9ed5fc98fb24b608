/** One run through the plain door of Reins, as it was built last. */
import { createAgent } from "../../../dist/promise.js"
import { measure, pause, task, whatWasRead } from "./measure.mjs"

await measure(async () => {
  await using agent = createAgent(task.cli, { command: task.command })
  const known = { text: "", toolCalls: 0, outputCharacters: 0, told: "nothing" }
  for await (const event of agent.execute({ prompt: "hello" })) {
    if (pause !== undefined) await pause()
    if (event.type === "tool_result") {
      known.toolCalls += 1
      known.outputCharacters += event.output.length
    }
    if (event.type !== "done") continue
    known.text = event.result.text
    known.told = event.result.outcome === "completed" ? "success" : event.result.reason
  }
  return known
}, whatWasRead)
