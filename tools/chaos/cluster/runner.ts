/**
 * A machine's runner, until SIGTERM or the end of its stdin: serves the turns of its home on a CLI that keeps sessions. Says
 * `serving` when it does. Its argument is JSON: see `RunnerJob`.
 */
import { fileURLToPath } from "node:url"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Claude } from "../../../src/agents/Agents.ts"
import { ClusterHome } from "../../../src/cluster/ClusterHome.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { type RunnerJob, serving, timings } from "./jobs.ts"

const job: RunnerJob = JSON.parse(process.argv[2] ?? "")
const { home, database, listen, advertise, directory } = job
const cli = fileURLToPath(new URL("../../../fixtures/programs/keeps-sessions.mjs", import.meta.url))
const claude = Claude.layer({
  command: process.execPath,
  baseArgs: [cli, `--directory=${directory}`, `--host=${process.pid}`]
})

const serves = Layer.effectDiscard(Effect.sync(() => void process.stdout.write(`${serving}\n`)))
const runner = serves.pipe(
  Layer.provide(
    ClusterHome.layer({
      ...{ home, database, listen, advertise, agents: { claude }, directories: ["/"], timings },
      // Turns of other conversations wait for a place, too.
      limits: { total: 3 }
    })
  ),
  Layer.provide(Store.layerPostgres({ url: database })),
  Layer.provide(NodeServices.layer)
)

process.stdin.on("end", () => process.kill(process.pid, "SIGTERM")).resume()
NodeRuntime.runMain(Layer.launch(runner))
