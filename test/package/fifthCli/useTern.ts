/** Tern by both doors: a run, and a live session with a rule. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { AgentRuntime, Approvals } from "reins"
import { createAgent } from "reins/promise"
import { tern } from "./tern.ts"
import { ternLive } from "./ternLive.ts"

const program = AgentRuntime.use((agent) => agent.run({ prompt: "hello", model: "swift" }))
const layer = AgentRuntime.layer(tern).pipe(Layer.provide(NodeServices.layer))
const { text, sessionId } = await Effect.runPromise(Effect.provide(program, layer))
console.log(text, sessionId)

await using agent = createAgent(ternLive)
await using session = await agent.open({ approvals: [Approvals.allow({ commands: ["ls *"] })] })
for await (const event of session.turn("run ls -l")) {
  if (event.type === "permission_decision") console.log(event.decision, event.by)
  if (event.type === "turn_done") console.log(event.result.outcome, event.result.text)
}
