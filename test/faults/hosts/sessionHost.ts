/**
 * A host of the plain door with one live session, whose agent asks and is not answered. The arguments: the CLI, the peer,
 * the prompt. Tells the types of the events; dies as its stdin says.
 */
import { createInterface } from "node:readline"
import { type CliId, createAgent } from "reins/promise"

const [id = "", file = "", prompt = ""] = process.argv.slice(2)

const deeds: Readonly<Record<string, () => unknown>> = {
  exit: () => process.exit(3),
  throw: () => setImmediate(() => JSON.parse("{")),
  reject: () => void Promise.reject(new Error("an unhandled rejection"))
}
createInterface({ input: process.stdin }).on("line", (deed) => deeds[deed]?.())

// The id is one: the test has it from the table of all.
const agent = createAgent(id as CliId, { command: process.execPath, baseArgs: [file], killGrace: "1 minute" })
const session = await agent.open({ onPermission: () => new Promise(() => {}) })
for await (const event of session.turn(prompt)) process.stdout.write(`${event.type}\n`)
