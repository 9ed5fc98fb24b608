/** A host that is killed when the private directory of its first run is made, before any process was started. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Layer, Stream } from "effect"
import { AgentRuntime, Claude } from "reins"

const Dying = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (fs) => ({
    ...fs,
    makeDirectory: (...directory: Parameters<typeof fs.makeDirectory>) =>
      Effect.tap(fs.makeDirectory(...directory), () => Effect.sync(() => process.kill(process.pid, "SIGKILL")))
  }))
)

const program = AgentRuntime.use((agent) =>
  Stream.runDrain(agent.execute({ prompt: "hello", systemPrompt: "p".repeat(1_000) }))
)
const platform = Dying.pipe(Layer.provideMerge(NodeServices.layer))
await Effect.runPromise(
  program.pipe(Effect.provide(Claude.layer({ command: process.execPath })), Effect.provide(platform))
)
