/** The end of a run → its entries: what the CLI has reported, to the last millionth, and nothing that it has not. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Aborted, AgentFailed, Exited } from "../../../src/contract/AgentError.ts"
import { type EndedUsage, entriesOf, sumsOf } from "../../../src/money/ledger/entries.ts"
import { openRun } from "./kit.ts"

const counts = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 7 }

const entries = (value: Partial<EndedUsage>) =>
  entriesOf({
    run: openRun(),
    result: { outcome: "completed", usage: counts },
    failure: undefined,
    last: undefined,
    at: 5,
    assumed: 500_000,
    ...value
  }).entries

const aborted = { result: { outcome: "aborted", usage: undefined }, failure: new Aborted() } as const

describe("entriesOf", () => {
  it("has one entry for each model, whose costs are those of the run", () => {
    const modelUsage = {
      "model-a": { inputTokens: 90, outputTokens: 15, costUsd: 0.1 },
      "model-b": { inputTokens: 10, outputTokens: 5, costUsd: 0.0000004 }
    }
    const result = { outcome: "completed", usage: counts, totalCostUsd: 0.1000004, modelUsage, numTurns: 3 } as const
    const all = entries({ result })
    assert.deepStrictEqual(
      all.map(({ id, model, input, micros, source, turns }) => ({ id, model, input, micros, source, turns })),
      [
        { id: "r/run/model-a", model: "model-a", input: 90, micros: 100_000, source: "cli", turns: 3 },
        { id: "r/run/model-b", model: "model-b", input: 10, micros: 0, source: "cli", turns: null }
      ]
    )
  })

  it("gives what the run cost beyond its models to one without a cost, else to the dearest", () => {
    const costOf = (b: { readonly costUsd?: number }) =>
      entries({
        result: {
          outcome: "completed",
          usage: counts,
          totalCostUsd: 0.5,
          modelUsage: { a: { costUsd: 0.3 }, b: { inputTokens: 1, ...b } }
        }
      }).map(({ micros }) => micros)
    assert.deepStrictEqual(costOf({}), [300_000, 200_000])
    assert.deepStrictEqual(costOf({ costUsd: 0.1 }), [400_000, 100_000])
    // More than a rounding: the models have cost so much.
    assert.deepStrictEqual(costOf({ costUsd: 0.9 }), [300_000, 900_000])
  })

  it("knows no unreported cost, and says what a budget may count for it", () => {
    const [entry] = entries({})
    assert.deepInclude(entry, { micros: null, source: "none", assumed: 500_000, input: 100, cacheWrite: null })
  })

  it("takes the last sum of a run that was cut off for an estimate", () => {
    const last = sumsOf({ inputTokens: 40 }, 0.25, "model-a")
    const [entry] = entries({ ...aborted, last })
    assert.deepInclude(entry, { model: "model-a", input: 40, output: null, micros: 250_000, source: "estimate" })
    const [exited] = entries({
      result: { outcome: "failed", usage: { inputTokens: 60 } },
      failure: new Exited({ exitCode: 1, category: "crash", stderr: "" }),
      last
    })
    assert.deepInclude(exited, { input: 60, micros: 250_000, source: "estimate" })
  })

  it("adds what came after the last report by model of a run that was cut off", () => {
    const modelUsage = { "model-a": { inputTokens: 30, costUsd: 0.1 } }
    const result = { outcome: "aborted", usage: { inputTokens: 40 }, modelUsage, totalCostUsd: 0.1 } as const
    const all = entries({ ...aborted, result, last: sumsOf({ inputTokens: 40 }, undefined, "model-a") })
    assert.deepStrictEqual(
      all.map(({ id, input, micros, source }) => ({ id, input, micros, source })),
      [
        { id: "r/run/model-a", input: 30, micros: 100_000, source: "estimate" },
        { id: "r/run/model-a/1", input: 10, micros: null, source: "none" }
      ]
    )
  })

  it("has an entry of a run of which nothing is known", () => {
    const [entry, ...others] = entries(aborted)
    assert.deepInclude(entry, { input: null, output: null, micros: null, source: "none" })
    assert.deepStrictEqual(others, [])
  })

  it("believes the CLI that says itself that it failed", () => {
    const failure = new AgentFailed({ code: "x", category: "overloaded", detail: "" })
    const [entry] = entries({ result: { outcome: "failed", usage: counts, totalCostUsd: 0.1 }, failure })
    assert.deepInclude(entry, { micros: 100_000, source: "cli" })
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1e13, 1e300])("takes %s for no count and no cost", (count) => {
    const [entry] = entries({ result: { outcome: "completed", usage: { inputTokens: count }, totalCostUsd: count } })
    assert.deepInclude(entry, { input: null, micros: null, source: "none" })
  })

  it("keeps names of strangers short, and without what no database takes", () => {
    const [entry] = entries({
      run: openRun({ sessionId: "a\0b", project: "p".repeat(5_000) }),
      result: { outcome: "completed", usage: counts, modelUsage: { ["m\0".repeat(5_000)]: counts } }
    })
    assert.deepInclude(entry, { sessionId: "ab", project: "p".repeat(1024), model: "m".repeat(1024) })
  })

  const Cost = Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1000 })))
  it.prop(
    "has the total of the CLI as its sum",
    [Schema.Array(Schema.Struct({ costUsd: Cost })), Cost],
    ([models, total]) => {
      const known = models.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0)
      const totalCostUsd = total === undefined ? known : known + total
      const modelUsage = Object.fromEntries(models.map((model, index) => [`m${index}`, model]))
      const all = entries({ result: { outcome: "completed", usage: counts, totalCostUsd, modelUsage } })
      assert.strictEqual(new Set(all.map(({ id }) => id)).size, all.length)
      assert.strictEqual(
        all.reduce((sum, { micros }) => sum + (micros ?? 0), 0),
        Math.round(totalCostUsd * 1e6)
      )
    }
  )
})
