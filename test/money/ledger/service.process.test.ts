/** The ledger as an application has it: runs and turns are entries, and reports add them up. */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AgentRuntime, Ledger, Store } from "reins"
import { createAgent, openStore } from "reins/promise"
import { FakeCli, LiveStep, Step } from "reins/testing"
import { InstalledFake } from "reins/testing/effect"

const reported = { costUsd: 0.25, usage: { inputTokens: 100, outputTokens: 20 } }

it.live("keeps what a run has used and cost, and adds it up", () =>
  Effect.gen(function* () {
    const agent = InstalledFake.layer(FakeCli.claude([Step.text("Done."), Step.result(reported)]))
    const runs = Effect.gen(function* () {
      const { run } = yield* AgentRuntime
      yield* run({ prompt: "one", account: { user: "ada", project: "tower" } })
      return yield* run({ prompt: "two" })
    })
    const { usage, entries } = yield* Ledger
    const { sessionId } = yield* Effect.provide(runs, agent)
    const report = yield* usage({ by: "project" })
    expect(report.total).toMatchObject({ micros: 500_000, costUsd: 0.5, runs: 2, unpriced: { runs: 0, tokens: 0 } })
    expect(report.total.tokens).toMatchObject({ input: 200, output: 40, total: 240 })
    expect(new Set(report.rows.map(({ key }) => key))).toEqual(new Set(["tower", process.cwd()]))
    const all = yield* Stream.runCollect(entries())
    expect(all).toHaveLength(2)
    expect(all[0]).toMatchObject({ cli: "claude", user: "ada", source: "cli", micros: 250_000, outputTokens: 20 })
    expect(all[1]).toMatchObject({ sessionId, project: process.cwd() })
    expect(all[1]).not.toHaveProperty("user")
  }).pipe(Effect.provide(Ledger.layer().pipe(Layer.provide(Store.layerMemory()))), Effect.scoped)
)

it("is kept with every store of the plain door, live sessions turn by turn", async () => {
  await using store = await openStore({ memory: true })
  const live = FakeCli.live("claude", [[LiveStep.text("One.")], [LiveStep.text("Two.")]])
  await using cli = await FakeCli.install(live)
  await using agent = createAgent("claude", { command: cli.command, store, account: { user: "ada" } })
  await using session = await agent.open()
  for (const prompt of ["one", "two"]) for await (const _ of session.turn(prompt));
  await session.close()
  const entries = await Array.fromAsync(store.entries({ user: "ada" }))
  expect(entries).toHaveLength(2)
  expect(new Set(entries.map(({ runId }) => runId)).size).toBe(1)
  expect(new Set(entries.map(({ turnId }) => turnId)).size).toBe(2)
  const { total } = await store.usage({ by: "session", zone: "UTC" })
  expect(total.runs).toBe(2)
})
