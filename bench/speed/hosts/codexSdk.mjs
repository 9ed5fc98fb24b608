/** `@openai/codex-sdk`: a thread, `runStreamed`, its events read to the end. */
import { Codex } from "@openai/codex-sdk"
import { measure, task, whatWasRead } from "./measure.mjs"

await measure(async () => {
  const seen = { text: "", toolCalls: 0, outputCharacters: 0, told: "nothing" }
  const codex = new Codex({ codexPathOverride: task.command })
  const { events } = await codex.startThread({ skipGitRepoCheck: true }).runStreamed("hello")
  for await (const event of events) {
    if (event.type === "turn.completed") seen.told = "success"
    if (event.type !== "item.completed") continue
    const { item } = event
    if (item.type === "agent_message") seen.text += seen.text === "" ? item.text : `\n\n${item.text}`
    if (item.type === "agent_message" || item.type === "reasoning") continue
    seen.toolCalls += 1
    if (item.type === "command_execution") seen.outputCharacters += item.aggregated_output.length
  }
  return seen
}, whatWasRead)
