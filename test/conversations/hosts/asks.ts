/** A host that asks one turn of a conversation: its events as JSON lines, then its result or the reason of its failure. */
import { AgentError, createAgent, openStore } from "../../../src/promise.ts"

const [command = "", directory = "", params = "{}"] = process.argv.slice(2)
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

await using store = await openStore({ directory })
await using agent = createAgent("claude", { command, store })
const turn = JSON.parse(params)
await agent.run(turn, { onEvent: say }).then(
  ({ text, sessionId }) => say({ text, sessionId }),
  (error: unknown) => say({ failed: error instanceof AgentError ? error.reason._tag : String(error) })
)
