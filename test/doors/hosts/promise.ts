/** A host of the plain door: what the first argument says, with the program that follows. Then it should leave. */
import { createAgent } from "reins/promise"

const [how = "", ...baseArgs] = process.argv.slice(2)
const prompt = how === "run" ? "hello" : "p".repeat(500_000)

const main = async () => {
  const timeouts = { linger: 300 }
  const agent = createAgent("claude", { command: process.execPath, baseArgs, killGrace: 300, timeouts })
  if (how === "run" || how === "unclosed") {
    console.log((await agent.run({ prompt })).sessionId)
  } else {
    for await (const event of agent.execute({ prompt })) {
      if (event.type === "session") console.log(event.sessionId)
      if (how === "first") break
    }
  }
  if (how !== "unclosed") await agent.close()
}

await main()
console.log("host: end")
