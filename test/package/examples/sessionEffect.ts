/** A live session for Effect callers: a rule denies what the agent would run, and a tool of an Effect `Toolkit` is there. */
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { AgentRuntime, Approvals, Claude, hostToolsOf } from "reins"

const stock = Tool.make("stock", { parameters: Schema.Struct({ article: Schema.String }), success: Schema.Finite })
const toolkit = Toolkit.make(stock)
const demo = fileURLToPath(new URL("fixtures/programs/demo-agent.mjs", import.meta.resolve("reins/package.json")))
const env = { values: { REINS_DEMO_PACE_MS: "0" } }

const program = Effect.gen(function* () {
  const agent = yield* AgentRuntime
  const tools = yield* hostToolsOf(toolkit)
  const session = yield* agent.open({ tools, approvals: [Approvals.deny({ commands: ["node *"] }, "No node here.")] })
  const decisions = session.turn("hello").pipe(Stream.filter((event) => event.type === "permission_decision"))
  yield* Stream.runForEach(decisions, ({ decision, by, message }) => Console.log(decision, by, message))
}).pipe(Effect.scoped, Effect.provide(toolkit.toLayer({ stock: () => Effect.succeed(3) })))

const layers = [Claude.layer({ command: process.execPath, baseArgs: [demo], env }), NodeServices.layer] as const
await Effect.runPromise(program.pipe(Effect.provide(layers[0]), Effect.provide(layers[1])))
