/** A host that runs one prompt with a ledger: its events as JSON lines, then `over`. */
import { createAgent, openStore } from "../../../../src/promise.ts"

const [command = "", directory = ""] = process.argv.slice(2)
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

await using store = await openStore({ directory })
await using agent = createAgent("claude", { command, store, account: { user: "ada" } })
await agent.run({ prompt: "x" }, { onEvent: say }).catch((error: unknown) => say({ failed: String(error) }))
say({ type: "over" })
