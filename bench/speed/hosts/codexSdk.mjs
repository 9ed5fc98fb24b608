/** `@openai/codex-sdk`: a thread, `runStreamed`, its events read to the end. */
import { Codex } from "@openai/codex-sdk"
import { measure, task, whatWasRead } from "./measure.mjs"

await measure(async () => {
  const known = { text: "", toolCalls: 0, outputCharacters: 0, told: "nothing" }
  const codex = new Codex({ codexPathOverride: task.command })
  const { events } = await codex.startThread({ skipGitRepoCheck: true }).runStreamed("hello")
  for await (const event of events) {
    if (event.type === "turn.completed") known.told = "success"
    if (event.type !== "item.completed") continue
    const { item } = event
    if (item.type === "agent_message") known.text += known.text === "" ? item.text : `\n\n${item.text}`
    if (item.type === "agent_message" || item.type === "reasoning") continue
    known.toolCalls += 1
    if (item.type === "command_execution") known.outputCharacters += item.aggregated_output.length
  }
  return known
}, whatWasRead)
