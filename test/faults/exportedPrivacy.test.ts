/**
 * 10,000 exported spans, and metrics and logs beside them, have nothing of what agents are asked, read, say and do: neither
 * prompts nor paths, inputs, outputs or secrets. Runs and live sessions of all CLIs, fakes as real processes.
 */
import { randomBytes } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import { deny } from "../../src/agents/Approvals.ts"
import { observersLayer } from "../../src/agents/engine/Observer.ts"
import { exporter } from "../../src/program/telemetry/exporter.ts"
import { telemetrySettings } from "../../src/program/telemetry/settings.ts"
import { HostEnvironment } from "../../src/system/process/HostEnvironment.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { open, traits } from "../kit/live.ts"
import { startCollector } from "../kit/otlp/collector.ts"
import { hostWith, makeSecrets, optionsWith, paramsWith, type Secrets, secretsIn } from "./kit/processSecrets.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId>
const tools = { claude: "Bash", gemini: "run_shell_command", codex: "command_execution", opencode: "bash", pi: "bash" }

const words = () => `words ${randomBytes(16).toString("hex")}`

const makePlanted = () => ({
  input: words(), output: words(), path: words(), text: words(), thought: words(), stderr: words(), failure: words(),
  observer: words(), asked: words(), why: words(), answer: words()
}) // biome-ignore format: one list

type Planted = ReturnType<typeof makePlanted>

/** With the end of a run that goes well, or fails with words of the model's server. */
const fakeOf = (id: CliId, planted: Planted, calls: number, fails: boolean) => {
  const input = { command: `cat '/home/${planted.path}/a.txt' # ${planted.input}` }
  return FakeCli[id]([
    Step.stderr(`${planted.stderr}\n`),
    ...(id === "gemini" ? [] : [Step.thinking(planted.thought)]),
    ...Array.from({ length: calls }, (_, nth) =>
      Step.tool({ name: tools[id], input, output: planted.output, isError: nth % 10 === 0 })
    ),
    // A tool that does not exist, as a model may call it.
    ...(id === "codex" ? [] : [Step.tool({ name: `cat /home/${planted.path}` })]),
    Step.text(planted.text),
    ...(fails ? [Step.error({ message: planted.failure })] : [])
  ])
}

/** It is told of in the log. */
const failing = (planted: Planted) => ({
  name: planted.observer,
  begin: () => {
    throw new Error(planted.observer)
  }
})

const run = (id: CliId, secrets: Secrets, planted: Planted, nth: number) =>
  AgentRuntime.use((agent) => Stream.runDrain(agent.execute(paramsWith(clis[id], secrets)))).pipe(
    Effect.provide(
      InstalledFake.layer(fakeOf(id, planted, 250, nth % 2 === 1), optionsWith(secrets)).pipe(
        Layer.provide(observersLayer([failing(planted)]))
      )
    ),
    Effect.provideService(HostEnvironment, hostWith(secrets))
  )

const live = (id: CliId, secrets: Secrets, planted: Planted) =>
  Effect.gen(function* () {
    const { turn, close } = yield* open(id, {
      approvals: [deny({}, planted.why)],
      env: { RUN_TOKEN: secrets.named }
    })
    yield* turn(
      { say: planted.text },
      { tool: { id: "t1", command: `ls /${planted.path}` } },
      { ask: { id: "t2", command: `rm ${planted.asked}` } },
      { ask: { id: "t3", path: `/home/${planted.path}`, content: planted.output } },
      ...(traits(id).asksPermission ? [{ await: 2 }] : [])
    )
    yield* turn({ tool: { id: "t4", command: planted.input, open: true } }, { fail: planted.failure })
    yield* turn({ stderr: planted.stderr }, { exit: 3 })
    yield* close
  }).pipe(Effect.scoped)

it.live.each(["http/json", "http/protobuf"])("nothing is given away, by %s", (protocol) =>
  Effect.gen(function* () {
    const collector = yield* Effect.acquireRelease(
      Effect.promise(() => startCollector()),
      ({ close }) => Effect.promise(close)
    )
    const { settings } = telemetrySettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol
    })
    if (settings === undefined) return assert.fail("no settings")
    const [secrets, planted] = [makeSecrets(), makePlanted()]
    const runs = ids.flatMap((id) => Array.from({ length: 5 }, (_, nth) => run(id, secrets, planted, nth)))
    const sessions = ids.map((id) => live(id, secrets, planted))
    yield* Effect.all([...runs, ...sessions], { concurrency: 3, discard: true }).pipe(
      Effect.provide(exporter(settings, (problem) => Effect.die(problem))),
      Effect.provide(Logger.layer([]))
    )
    const [spans, logs] = [collector.spans(), collector.logs()]
    assert.isAbove(spans.length, 5_000)
    assert.isAtLeast(logs.length, 20)
    assert.isAbove(collector.metrics().length, 5)
    const text = collector.text()
    assert.include(text, "execute_tool")
    assert.deepStrictEqual(secretsIn(text, { ...secrets, ...planted }), [])
    for (const path of [process.cwd(), "/home/", "/tmp/"]) assert.notInclude(text, path)
  })
)
