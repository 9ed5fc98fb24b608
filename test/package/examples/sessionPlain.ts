/** A live session by the plain door: two requests are answered later, at another place than the turn's loop. */
import { fileURLToPath } from "node:url"
import { Approvals, createAgent, type PermissionRequestEvent } from "reins/promise"

const demo = fileURLToPath(new URL("fixtures/programs/demo-agent.mjs", import.meta.resolve("reins/package.json")))
const env = { values: { REINS_DEMO_PACE_MS: "0" } }
await using agent = createAgent("claude", { command: process.execPath, baseArgs: [demo], env })
await using session = await agent.open({ approvals: [Approvals.ask(undefined, { deadline: "1 hour" })] })

const decide = async ({ requestId, preview }: PermissionRequestEvent) => {
  const first = await session.decide(requestId, { decision: "allow" })
  console.log(preview, first, await session.decide(requestId, { decision: "deny" }))
}
const watched = (async () => {
  for await (const event of session.events) if (event.type === "permission_request") await decide(event)
})()

for (const prompt of ["one", "two"])
  for await (const event of session.turn(prompt)) if (event.type === "turn_done") console.log(event.result.outcome)
await session.close()
await watched
console.log(session.cli, await session.send("too late").catch(({ reason }) => reason._tag))
