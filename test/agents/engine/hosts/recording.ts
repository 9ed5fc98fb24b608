/** A host with one recorded run, whose events it tells one a line. Arguments: the recording, the agent's command. */
import { createAgent } from "reins/promise"

const [record = "", command = "", ...baseArgs] = process.argv.slice(2)
await using agent = createAgent("claude", { command, baseArgs })
for await (const event of agent.execute({ prompt: "hello", record })) {
  // The flood is of no interest.
  if (event.type === "notice") console.log(JSON.stringify(event))
  if (event.type === "done") console.log(JSON.stringify({ ...event, result: { ...event.result, text: "" } }))
}
