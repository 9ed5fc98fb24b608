/** A host of the Effect door: what the first argument says, with the program that follows. Then it should leave. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Stream } from "effect"
import { AgentRuntime, Claude } from "reins"

const [how = "", ...baseArgs] = process.argv.slice(2)
const prompt = how === "run" ? "hello" : "p".repeat(500_000)

const main = Effect.gen(function* () {
  const agent = yield* AgentRuntime
  if (how === "run") return yield* Effect.flatMap(agent.run({ prompt }), ({ sessionId }) => Console.log(sessionId))
  const events = agent.execute({ prompt })
  yield* (how === "first" ? Stream.take(events, 1) : events).pipe(
    Stream.runForEach((event) => (event.type === "session" ? Console.log(event.sessionId) : Effect.void))
  )
}).pipe(
  Effect.provide(
    Claude.layer({ command: process.execPath, baseArgs, killGrace: 300 }).pipe(Layer.provide(NodeServices.layer))
  )
)

await Effect.runPromise(main)
console.log("host: end")
