/** Records of usage in a CLI's own files → their sum: each answer once, and nothing that cannot be. */
import { assert, describe, it } from "vitest"
import type { StoredUsage } from "../../../src/cli/Stored.ts"
import { sumOf } from "../../../src/cli/stored/sumOfUsage.ts"

const answer = (id: string, more: Partial<StoredUsage> = {}): StoredUsage => ({
  id,
  at: 1,
  usage: { inputTokens: 10, outputTokens: 1 },
  model: "m",
  ...more
})

describe("the sum", () => {
  it("counts an answer once, by its newest record", () => {
    const newest = answer("a", { usage: { inputTokens: 10, outputTokens: 5 } })
    assert.deepStrictEqual(sumOf([newest, answer("a"), answer("b")]), {
      usage: { inputTokens: 20, outputTokens: 6 },
      modelUsage: { m: { inputTokens: 20, outputTokens: 6 } }
    })
  })

  it("joins the facts of one id: the model stands in another record than the counts", () => {
    const records = [answer("a", { model: undefined }), { id: "a", at: 0, model: "of the turn" }]
    assert.deepStrictEqual(Object.keys(sumOf(records)?.modelUsage ?? {}), ["of the turn"])
  })

  it("has a cost where that of each answer is known", () => {
    const known = [answer("a", { costUsd: 0.5 }), answer("b", { costUsd: 0.25 })]
    assert.strictEqual(sumOf(known)?.totalCostUsd, 0.75)
    assert.strictEqual(sumOf(known)?.modelUsage?.["m"]?.costUsd, 0.75)
    const partly = sumOf([...known, answer("c")])
    assert.isUndefined(partly?.totalCostUsd)
    assert.isUndefined(partly?.modelUsage?.["m"]?.costUsd)
  })

  it("of nothing, or of models without counts, is missing", () => {
    assert.isUndefined(sumOf([]))
    assert.isUndefined(sumOf([{ id: "a", at: 1, model: "m" }]))
  })
})

describe("untrusted counts of a file", () => {
  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300])("a count of %s is dropped", (inputTokens) => {
    assert.isUndefined(sumOf([answer("a", { usage: { inputTokens } })]))
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300])("a cost of %s is unknown", (costUsd) => {
    assert.isUndefined(sumOf([answer("a", { costUsd })])?.totalCostUsd)
  })

  it.each(["\u001b[31mred", "a\nb", "x".repeat(10_000), "", "a\u202eb"])("a model is not named %j", (model) => {
    assert.notProperty(sumOf([answer("a", { model }), answer("b")]), "modelUsage")
  })

  it("a model named __proto__ is one like any other", () => {
    const found = sumOf([answer("a", { model: "__proto__" })])
    assert.deepStrictEqual(Object.keys(found?.modelUsage ?? {}), ["__proto__"])
    assert.isUndefined(({} as Record<string, unknown>)["inputTokens"])
  })
})
