/** A host with a run that goes on, by the process table of macOS (whose `ps` Linux has, too); waits to be killed. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Stream } from "effect"
import { AgentRuntime, Claude } from "../../../src/index.ts"
import { Host, makeHost } from "../../../src/process/host.ts"
import { makePsProcesses } from "../../../src/process/psProcesses.ts"

const [, ...baseArgs] = process.argv.slice(2)
const layer = Claude.layer({ command: process.execPath, baseArgs, killGrace: "1 minute" }).pipe(
  Layer.provide(Layer.succeed(Host)(makeHost(process.platform, makePsProcesses()))),
  Layer.provide(NodeServices.layer)
)

const program = AgentRuntime.use((agent) =>
  Stream.runForEach(agent.execute({ prompt: "hello" }), (event) =>
    Effect.sync(() => event.type === "session" && process.stdout.write(`${event.sessionId}\n`))
  )
)
await Effect.runPromise(Effect.provide(program, layer))
