/**
 * A home of the cluster, in a process of its own. It has two agents: `codex` answers without a process, `claude` starts a
 * program that keeps sessions in files. Asked for `memory` on stdin, it says what it has in use; it serves until stdin ends.
 */
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect, Layer, Redacted } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import { ClusterHome } from "../../../src/cluster/ClusterHome.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import { runtimeOf } from "../../../test/cluster/kit/homes.ts"
import { type TestAgent, testAgent } from "../../../test/conversations/kit.ts"
import type { HomeJob, HomeMemory } from "../homes.ts"

const job: HomeJob = JSON.parse(process.argv[2] ?? "{}")
const url = Redacted.make(job.url)
const program = fileURLToPath(new URL("../../../fixtures/programs/keeps-sessions.mjs", import.meta.url))

const withoutProcess: TestAgent = testAgent(
  ({ prompt }) => {
    // It would keep all that it was ever asked.
    withoutProcess.calls.length = 0
    return { until: Effect.sleep(Number(JSON.parse(prompt).ms)) }
  },
  { cli: "codex" }
)

const withProcess = AgentRuntime.layer(claude, {
  command: process.execPath,
  baseArgs: [program, `--directory=${job.directory}`, `--host=${process.pid}`]
})

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

const memory = async (): Promise<HomeMemory> => {
  for (let times = 0; times < 3; times += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const { rss, heapUsed } = process.memoryUsage()
  return { rss, heapUsed }
}

const serve = Effect.gen(function* () {
  const home = yield* ClusterHome
  say({ ready: home.name })
  const lines = createInterface({ input: process.stdin })
  lines.on("line", () => void memory().then(say))
  yield* Effect.callback<void>((resume) => void lines.once("close", () => resume(Effect.void)))
})

const layer = ClusterHome.layer({
  home: job.home,
  database: url,
  agents: { codex: runtimeOf(withoutProcess), claude: withProcess },
  directories: ["/"],
  // Measures the cluster, not the wait for a place.
  limits: { total: 10_000 }
}).pipe(Layer.provideMerge(Store.layerPostgres({ url })), Layer.provide(nodePlatform))

await Effect.runPromise(Effect.provide(serve, layer))
process.exit(0)
