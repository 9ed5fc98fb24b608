/** The ledger of the plain door: options that cannot be used, and a store whose file goes away under a run. */
import { rmSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AgentError, createAgent, openStore, StoreError } from "reins/promise"
import { FakeCli, Step } from "reins/testing"
import { makeDirectory } from "../../kit/temporary.ts"

const cure = "needs a store: make the agent with { store: await openStore() }"

describe("an option of the ledger", () => {
  it.each([
    [{ zone: "UTC" }, `createAgent: zone: ${cure}`],
    [{ account: { user: "ada" } }, `createAgent: account: ${cure}`],
    [{ prices: {} }, `createAgent: prices: ${cure}`]
  ])("needs a store: %j", (options, message) => {
    assert.throws(() => createAgent("claude", options), message)
  })

  it.each([
    [{ zone: "Mars/Base" }, 'zone: "Mars/Base" is not a time zone: write one such as Europe/Berlin or UTC'],
    [{ account: { user: "" } }, "account.user: "],
    [{ account: { project: "p".repeat(1_025) } }, "account.project: "],
    [{ account: { team: "x" } }, "account.team: is not a known field"],
    [{ prices: { "gpt-reserve": { input: "1", output: 2 } } }, "prices.gpt-reserve.input: is not a number from 0"],
    [{ prices: { "gpt-reserve": { input: -1, output: 2 } } }, "prices.gpt-reserve.input: is not a number from 0"]
  ])("that cannot be used is refused at once: %j", async (options, message) => {
    await using store = await openStore({ memory: true })
    const make = () => createAgent("claude", { store, ...(options as object) }) // a caller in JavaScript
    assert.throws(make, `createAgent: ${message}`)
  })

  it("of a run is checked before anything is started, also without a store", async () => {
    await using agent = createAgent("claude", { command: "/no/such/program" })
    const params: object = { account: { user: 7 } }
    const error = await agent.run({ prompt: "x", ...params }).catch((error: unknown) => error)
    assert.instanceOf(error, AgentError)
    assert.match(error.message, /account\.user/)
  })

  it("is asked of an open store alone", async () => {
    const store = await openStore({ memory: true })
    await store.close()
    const error = await store.usage().catch((error: unknown) => error)
    assert.instanceOf(error, StoreError)
    assert.strictEqual(error.reason._tag, "StoreUnavailable")
  })
})

it.live("a store that is removed under a run costs it nothing, and the one in its place has its entry", () =>
  Effect.gen(function* () {
    const directory = yield* makeDirectory
    yield* Effect.promise(async () => {
      const script = [Step.text("Working."), Step.wait("200 millis"), Step.result({ costUsd: 0.25 })]
      await using cli = await FakeCli.install(FakeCli.claude(script))
      {
        await using store = await openStore({ directory })
        await using agent = createAgent("claude", { command: cli.command, store })
        const onEvent = ({ type }: { readonly type: string }) => {
          if (type === "text") rmSync(directory, { recursive: true, force: true })
        }
        const { outcome } = await agent.run({ prompt: "x" }, { onEvent })
        assert.strictEqual(outcome, "completed")
      }
      await using store = await openStore({ directory })
      const { total } = await store.usage()
      assert.deepInclude(total, { runs: 1, micros: 250_000 })
      assert.lengthOf(await Array.fromAsync(store.entries()), 1)
    })
  }).pipe(Effect.scoped)
)
