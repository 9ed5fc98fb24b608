/** A host that asks one turn of a live session on a conversation: its events as JSON lines. */
import { createAgent, openStore } from "../../../src/promise.ts"

const [command = "", directory = "", params = "{}"] = process.argv.slice(2)
const { conversation, prompt, ...options } = JSON.parse(params)

await using store = await openStore({ directory })
await using agent = createAgent("claude", { command, store })
await using session = await agent.open({ conversation })
for await (const event of session.turn(prompt, options)) process.stdout.write(`${JSON.stringify(event)}\n`)
