/** A host with a run that goes on; dies in the way its first argument says, or waits to be killed. */
import { createAgent } from "reins/promise"

const [how = "", ...baseArgs] = process.argv.slice(2)
const agent = createAgent("claude", { command: process.execPath, baseArgs, killGrace: "1 minute" })

for await (const event of agent.execute({ prompt: "hello" })) {
  if (event.type !== "session") continue
  process.stdout.write(`${event.sessionId}\n`)
  if (how === "exit") process.exit(3)
  if (how === "throw") setImmediate(() => JSON.parse("{"))
}
