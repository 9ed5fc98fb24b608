/** Both doors in one process, and values that cross from one to the other. Prints a line of JSON. */
import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Duration, Effect, Redacted, Schema, Stream } from "effect"
import * as Reins from "reins"
import { AgentError, createAgent, Refused, redacted } from "reins/promise"
import { FakeCli, LiveStep, Step, testAgent } from "reins/testing"
import { InstalledFake } from "reins/testing/effect"

const facts: Record<string, unknown> = {}
const script = [Step.answer({ at: "2026-01-01T00:00:00.000Z", files: 3 })]
await using cli = await FakeCli.install(FakeCli.claude(script))
const failing = FakeCli.claude([Step.exit(3)])
await using broken = await FakeCli.install(failing)
const byEffect = <A, E>(use: Effect.Effect<A, E, Reins.AgentRuntime | InstalledFake>, fake = FakeCli.claude(script)) =>
  Effect.runPromise(Effect.provide(use, InstalledFake.layer(fake)))

/** An error is one of both doors, and its JSON of neither. */
await using brokenAgent = createAgent("claude", { command: broken.command })
const ofPlain: unknown = await brokenAgent.run({ prompt: "hi" }).catch((error: unknown) => error)
const ofEffect = await byEffect(
  Reins.AgentRuntime.use((agent) => Effect.flip(agent.run({ prompt: "hi" }))),
  failing
)
const json: unknown = JSON.parse(JSON.stringify(ofEffect))
class OwnError extends AgentError {}
facts["errors"] = [ofPlain, ofEffect, json, { _tag: "AgentError" }, null].map((error) => [
  error instanceof AgentError,
  error instanceof Reins.AgentError,
  error instanceof OwnError
])
facts["reasons"] = [ofEffect.reason instanceof Reins.Exited, ofEffect.reason instanceof Reins.Killed]
if (ofPlain instanceof Reins.AgentError) facts["reasonOfPlain"] = ofPlain.reason instanceof Reins.Exited

/** A reason of the Effect door, thrown by a gate of the plain one and in its script. */
const refuse = new Reins.Refused({ gate: "g", problem: "not now", retryable: true })
const gate = { name: "g", admit: () => Promise.reject(refuse) }
await using gated = createAgent("claude", { command: cli.command, gates: [gate] })
const refused: unknown = await gated.run({ prompt: "hi" }).catch((error: unknown) => error)
await using scripted = testAgent([refuse])
const inScript: unknown = await scripted.run({ prompt: "hi" }).catch((error: unknown) => error)
facts["refused"] = [refused, inScript].map((error) => error instanceof AgentError && error.reason instanceof Refused)

/** Values of the application's Effect, and secrets of the plain door. */
const record = join(await mkdtemp(join(tmpdir(), "reins-record-")), "run.ndjson")
const values = { OF_EFFECT: Redacted.make("a secret of Effect"), OF_PLAIN: redacted("a plain secret") }
await using agent = createAgent("claude", { command: cli.command, env: { values } })
const outputSchema = Schema.Struct({ at: Schema.Date, files: Schema.Int })
const { structuredOutput } = await agent.run({
  prompt: "hi",
  outputSchema,
  record,
  timeouts: { idle: Duration.minutes(1) }
})
const wrongSchema = Schema.Struct({ files: Schema.String.check(Schema.isMinLength(2)) })
const wrong: unknown = await agent
  .run({ prompt: "hi", outputSchema: wrongSchema, retries: 0 })
  .catch((error: unknown) => error)
facts["output"] = [structuredOutput?.at instanceof Date, structuredOutput?.files]
facts["problem"] = wrong instanceof AgentError && wrong.reason._tag === "SchemaNotMet" ? wrong.reason.errors : wrong
const environment = cli.calls()[0]?.environment
facts["secrets"] = [
  environment?.["OF_EFFECT"],
  environment?.["OF_PLAIN"],
  /secret/.test(await readFile(record, "utf8"))
]
const inEffect = byEffect(
  Effect.gen(function* () {
    const { run } = yield* Reins.AgentRuntime
    yield* run({ prompt: "hi", env: values })
    return (yield* InstalledFake).calls()[0]?.environment["OF_PLAIN"]
  })
)
facts["secretOfPlain"] = await inEffect

await using silent = await FakeCli.install(FakeCli.claude([Step.session(), Step.hang()]))
await using impatient = createAgent("claude", { command: silent.command, killGrace: Duration.millis(100) })
const late: unknown = await impatient
  .run({ prompt: "hi", timeouts: { idle: Duration.millis(300) } })
  .catch((error: unknown) => error)
facts["budgetMs"] = late instanceof AgentError && late.reason._tag === "TimedOut" ? late.reason.budgetMs : late

/** An effect as the result of a function of the plain door. */
const turn = [LiveStep.command({ command: "ls", ask: true }), LiveStep.text("ok")]
await using live = await FakeCli.install(FakeCli.live("claude", [turn]))
await using asking = createAgent("claude", { command: live.command })
await using session = await asking.open({
  onPermission: () => Effect.as(Effect.sleep("1 millis"), { decision: "allow" as const })
})
const decisions: Array<string> = []
for await (const event of session.turn("hi")) if (event.type === "permission_decision") decisions.push(event.decision)
facts["decisions"] = decisions
await session.close()

/** One host: its mark, its limits, its sessions. */
const marks = [cli, live].map((fake) => fake.calls()[0]?.environment["REINS_RUN"]?.split(".")[0])
const slow = FakeCli.claude([Step.session(), Step.wait("1 second"), Step.text("done")])
await using counted = await FakeCli.install(slow)
const queuedBehind = async (options: Reins.AgentOptions, params: Partial<Reins.AgentExecuteParams>) => {
  const sessionId = "00000000-0000-4000-8000-000000000001"
  await using first = createAgent("claude", { command: counted.command })
  const running = first.run({ prompt: "hi", sessionId })
  await counted.started(counted.calls().length + 1)
  const events = await byEffect(
    Reins.AgentRuntime.use((agent) => Stream.runCollect(agent.execute({ prompt: "hi", ...params }))).pipe(
      Effect.provide(InstalledFake.layer(FakeCli.claude(script), options)),
      Effect.tap(() => Effect.promise(() => running))
    )
  )
  return events.flatMap((event) => (event.type === "notice" && event.kind === "queued" ? [event.message] : []))
}
facts["limits"] = await queuedBehind({ limits: { total: 1 } }, {})
facts["order"] = await queuedBehind({}, { sessionId: "00000000-0000-4000-8000-000000000001" })
const mark = await byEffect(
  Effect.gen(function* () {
    yield* Effect.flatMap(Reins.AgentRuntime, ({ run }) => run({ prompt: "hi" }))
    return (yield* InstalledFake).calls()[0]?.environment["REINS_RUN"]?.split(".")[0]
  })
)
facts["hosts"] = new Set([...marks, mark]).size
const children = await readFile(`/proc/self/task/${process.pid}/children`, "utf8").catch(() => undefined)
const reapers = children
  ?.trim()
  .split(" ")
  .map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""))
facts["reapers"] = reapers && (await Promise.all(reapers)).filter((line) => line.includes("reins-reaper")).length
console.log(JSON.stringify(facts))
