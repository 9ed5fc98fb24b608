/** A real CLI with no key and no network: its model is a script, its home a sandbox. Takes the path of the CLI. */
import { createAgent } from "reins/promise"
import { Answer, ModelServer } from "reins/testing"

const [, , command = "claude"] = process.argv

await using server = await ModelServer.messages([
  Answer.call(Answer.tool("Bash", { command: "echo hi", description: "greet" })),
  Answer.say("Done.")
])
await using sandbox = await ModelServer.sandboxFor("claude", server)
await using agent = createAgent("claude", { command, env: sandbox.env })

const params = { prompt: "Greet me.", workingDirectory: sandbox.work, allowedTools: ["Bash"] }
const { text } = await agent.run(params)
console.log(text, server.requests.at(-1)?.toolResults)
