/** A host with one run, whose events it tells one a line. Arguments: the agent's command, its budget for silence in ms. */
import { createAgent } from "reins/promise"

const [command = "", idle = ""] = process.argv.slice(2)
await using agent = createAgent("claude", { command, timeouts: { idle: Number(idle) } })
for await (const event of agent.execute({ prompt: "hello" })) console.log(JSON.stringify(event))
