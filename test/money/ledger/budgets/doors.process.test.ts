/** Budgets at both doors: who is let in, who is stopped in the middle, and what is told. Processes are counted by the CLI. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { AgentRuntime, Ledger, Store } from "reins"
import { AgentError, type AgentEvent, createAgent, openStore } from "reins/promise"
import { FakeCli, Step } from "reins/testing"
import { InstalledFake } from "reins/testing/effect"

const day = { name: "day", window: "day", usd: 0.9, reserve: 0.3 } as const
/** By an API key: what a subscription pays does not count in dollars. */
const dear = FakeCli.claude([
  Step.session({ fields: { apiKeySource: "ANTHROPIC_API_KEY" } }),
  Step.text("Done."),
  Step.result({ costUsd: 0.3 })
])

const codeOf = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === "rejected" && outcome.reason instanceof AgentError ? outcome.reason.reason.code : outcome.status

describe("ten runs at once with a budget for three", () => {
  it("three spawn, and the store says how the budget stands", async () => {
    await using store = await openStore({ memory: true })
    await using cli = await FakeCli.install(dear)
    await using agent = createAgent("claude", { command: cli.command, store, budgets: [day], zone: "UTC" })
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => agent.run({ prompt: "hello" })))
    const refused = Array.from({ length: 7 }, () => "budget_exceeded")
    assert.deepStrictEqual(outcomes.map(codeOf).toSorted(), [...refused, "fulfilled", "fulfilled", "fulfilled"])
    assert.lengthOf(cli.calls(), 3)
    const [state, none] = await store.budgets([day, { ...day, name: "user", per: "user" }], { zone: "UTC" })
    assert.deepInclude(state, { budget: "day", per: "all", unit: "usd", limit: 0.9, spent: 0.9, level: "exceeded" })
    assert.strictEqual(state?.reserved, 0)
    assert.isUndefined(none)
  })

  it.live("the same with Effect", () =>
    Effect.gen(function* () {
      const { run } = yield* AgentRuntime
      const exits = yield* Effect.all(
        Array.from({ length: 10 }, () => Effect.exit(run({ prompt: "hello" }))),
        { concurrency: 10 }
      )
      assert.lengthOf(exits.filter(Exit.isSuccess), 3)
      assert.lengthOf((yield* InstalledFake).calls(), 3)
      const [state] = yield* Ledger.use(({ budgets }) => budgets)
      assert.deepInclude(state, { budget: "day", spent: 0.9, reserved: 0 })
    }).pipe(
      Effect.provide(
        InstalledFake.layer(dear).pipe(
          Layer.provideMerge(Ledger.layer({ budgets: [day], zone: "UTC" })),
          Layer.provide(Store.layerMemory())
        )
      )
    )
  )
})

const answer = (id: string, tokens: number) =>
  Step.line({
    type: "assistant",
    message: {
      id,
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: "…" }],
      usage: { input_tokens: tokens, output_tokens: 1 }
    }
  })

describe("a run in the middle", () => {
  it("is stopped where its budget says so, and told at which level", async () => {
    await using store = await openStore({ memory: true })
    await using cli = await FakeCli.install(
      FakeCli.claude([Step.session(), answer("m1", 600), answer("m2", 600), Step.hang()])
    )
    const budgets = [{ name: "run", window: "run", tokens: 1000 }] as const
    await using agent = createAgent("claude", { command: cli.command, store, budgets })
    const events: Array<AgentEvent> = []
    for await (const event of agent.execute({ prompt: "hello" })) events.push(event)
    const done = events.at(-1)
    assert.isTrue(done?.type === "done" && done.result.reason === "budget_exceeded")
    assert.isTrue(done?.type === "done" && done.result.outcome === "failed")
    const levels = events.flatMap((event) =>
      event.type === "notice" && event.kind === "budget" ? event.data?.["level"] : []
    )
    assert.deepStrictEqual(levels.at(-1), "exceeded")
    const { total } = await store.usage()
    assert.strictEqual(total.tokens.total, 1202)
  })
})

describe("a CLI with a limit of its own", () => {
  it("gets what is left of the tightest budget that stops", async () => {
    await using store = await openStore({ memory: true })
    await using cli = await FakeCli.install(dear)
    const budgets = [
      { name: "run", window: "run", usd: 0.5 },
      { name: "day", window: "day", usd: 0.7, reserve: 0.1, onExceeded: "stop" }
    ] as const
    await using agent = createAgent("claude", { command: cli.command, store, budgets })
    for (const prompt of ["one", "two"]) await agent.run({ prompt })
    const limits = cli.calls().map((call) => call.arguments.find((argument) => argument.startsWith("--max-budget-usd")))
    assert.deepStrictEqual(limits, ["--max-budget-usd=0.5", "--max-budget-usd=0.4"])
  })
})

describe("what cannot be used", () => {
  it("without a store", () => {
    const message = "createAgent: budgets: needs a store: make the agent with { store: await openStore() }"
    assert.throws(() => createAgent("claude", { budgets: [day] }), message)
  })

  it.each([
    [{ budgets: [{ ...day, usd: -1 }] }, "createAgent: budgets.0.usd: Expected US dollars, at least 0.000001"],
    [{ budgets: [day, day] }, 'createAgent: budgets.1.name: "day" is the name of another budget, too'],
    [{ zone: "Mars/Base" }, 'createAgent: zone: "Mars/Base" is not a time zone: write one such as Europe/Berlin or UTC']
  ])("%j", async (options, message) => {
    await using store = await openStore({ memory: true })
    assert.throws(() => createAgent("claude", { ...options, store }), message)
  })

  it("at the store", async () => {
    await using store = await openStore({ memory: true })
    const problem = await store.budgets([{ name: "a", window: "day" }]).catch((error: unknown) => error)
    assert.include(String(problem), "budgets.0.usd: is missing")
  })
})
