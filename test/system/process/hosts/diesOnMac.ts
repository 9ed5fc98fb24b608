/**
 * A host with a run that goes on, by the process table of macOS (whose `ps` Linux has, too). Tells the session when its
 * reaper knows of the run, and waits to be killed.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Deferred, Effect, Layer, Stream } from "effect"
import { AgentRuntime, Claude } from "../../../../src/index.ts"
import { Host, makeHost } from "../../../../src/system/process/host.ts"
import { makePsProcesses } from "../../../../src/system/process/macProcesses.ts"
import type { ProcessEntry } from "../../../../src/system/process/processTable.ts"

const [, ...baseArgs] = process.argv.slice(2)
const known = Deferred.makeUnsafe<void>()
const host = makeHost(process.platform, makePsProcesses())
const setStrays = (runId: string, strays: ReadonlyArray<ProcessEntry>) => {
  host.reaper.setStrays(runId, strays)
  if (strays.length > 0) Deferred.doneUnsafe(known, Effect.void)
}
const layer = Claude.layer({ command: process.execPath, baseArgs, killGrace: "1 minute" }).pipe(
  Layer.provide(Layer.succeed(Host)({ ...host, reaper: { ...host.reaper, setStrays } })),
  Layer.provide(NodeServices.layer)
)

const program = AgentRuntime.use((agent) =>
  Stream.runForEach(agent.execute({ prompt: "hello" }), (event) =>
    event.type === "session"
      ? Effect.andThen(
          Deferred.await(known),
          Effect.sync(() => process.stdout.write(`${event.sessionId}\n`))
        )
      : Effect.void
  )
)
await Effect.runPromise(Effect.provide(program, layer))
