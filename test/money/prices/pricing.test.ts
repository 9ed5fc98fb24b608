// The cost of a run: by the user's prices, by the table, or unknown.
import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { calcPrice } from "@pydantic/genai-prices"
import { Effect, Schema } from "effect"
import type { AgentUsage } from "../../../src/contract/AgentRunResult.ts"
import type { ModelPrices } from "../../../src/contract/Usage.ts"
import { makePricing, type PriceRequest } from "../../../src/money/prices/makePricing.ts"
import { priceTable, tableAgeDays } from "../../../src/money/prices/table.ts"

const at = Date.parse("2026-11-23T12:00:00Z")
const million: AgentUsage = { inputTokens: 100_000, outputTokens: 1000, cacheReadTokens: 50_000, cacheWriteTokens: 0 }

const priceOf = (request: Partial<PriceRequest>, prices?: ModelPrices) =>
  makePricing(prices).priceOf({ cli: "codex", model: "gpt-5.5", usage: million, requests: undefined, at, ...request })

const microsOf = (request: Partial<PriceRequest>, prices?: ModelPrices) =>
  Effect.map(priceOf(request, prices), (price) => price?.micros)

describe("a name of the table", () => {
  for (const [cli, model, micros] of [
    ["codex", "gpt-5.5", 500_000 + 30_000 + 25_000],
    ["codex", "GPT-5.5 ", 555_000],
    ["codex", "gpt-5.5-codex", 555_000],
    ["codex", "gpt-6-astra", 1_000_000 + 50_000 + 50_000],
    ["gemini", "gemini-3.8-flash", 75_000 + 3750 + 3750],
    ["gemini", "models/gemini-3.8-flash", 82_500],
    ["gemini", "gemini-3.8-flash-001", 82_500],
    ["claude", "claude-opus-5-5[1m]", 400_000 + 20_000 + 10_000],
    ["opencode", "anthropic/claude-opus-5-5", 430_000],
    ["opencode", "openai/gpt-5.5", 555_000],
    ["pi", "anthropic/claude-opus-5-5", 430_000]
  ] as const)
    it.effect(`${cli} ${model}`, () =>
      Effect.gen(function* () {
        expect(yield* priceOf({ cli, model })).toEqual({
          micros,
          source: "table",
          isEstimate: false,
          version: priceTable.version
        })
      })
    )
})

describe("unknown, and never 0", () => {
  for (const [cli, model] of [
    ["gemini", "auto"],
    ["codex", "codex-auto-review"],
    ["codex", "gpt-reserve"],
    ["codex", "gpt-99"],
    // The table's own patterns take these for another model.
    ["claude", "claude-sonnet-5-5"],
    ["gemini", "gemini-3.8-flash-lite"],
    ["gemini", "gemini-3.8-flashlight"],
    // Models of another vendor.
    ["codex", "claude-opus-5-5"],
    ["gemini", "gpt-5.5"],
    // An unknown vendor.
    ["opencode", "gpt-5.5"],
    ["opencode", "my-openai/gpt-5.5"],
    ["opencode", "fake/m1"],
    ["pi", "claude-opus-5-5"],
    ["my-own", "gpt-5.5"],
    ["__proto__", "gpt-5.5"],
    ["codex", ""],
    ["codex", "\u001b[2J"],
    ["codex", "constructor"],
    ["codex", "g".repeat(100_000)],
    ["claude", "<synthetic>"]
  ] as const)
    it.effect(`${cli} ${JSON.stringify(model.slice(0, 40))}`, () =>
      Effect.gen(function* () {
        expect(yield* priceOf({ cli, model })).toBeUndefined()
      })
    )

  it.effect("where a CLI does not report what was read or written", () =>
    Effect.gen(function* () {
      expect(yield* priceOf({ usage: { outputTokens: 5 } })).toBeUndefined()
      expect(yield* priceOf({ usage: { inputTokens: 5, cacheReadTokens: 3 } })).toBeUndefined()
      expect(yield* priceOf({ usage: {} })).toBeUndefined()
    })
  )

  it.effect("but nothing used costs nothing, whatever the model", () =>
    Effect.gen(function* () {
      expect(yield* microsOf({ model: "auto", usage: { inputTokens: 0, outputTokens: 0 } })).toBe(0)
    })
  )
})

describe("a sum of requests is not a long request", () => {
  const usage = { inputTokens: 300_000, outputTokens: 10_000 }
  const model = { cli: "gemini", model: "gemini-2.5-pro", usage } as const // 1.25 and 10 $; above 200k: 2.5 and 15 $

  for (const [what, requests, micros, isEstimate] of [
    ["one request", 1, 750_000 + 150_000, false],
    ["two", 2, 375_000 + 100_000, true],
    ["a number that is not known", undefined, 475_000, true],
    ["none, by mistake", 0, 900_000, true]
  ] as const)
    it.effect(what, () =>
      Effect.gen(function* () {
        expect(yield* priceOf({ ...model, requests })).toMatchObject({ micros, isEstimate })
      })
    )

  it.effect("short in sum is short in each", () =>
    Effect.gen(function* () {
      const price = yield* priceOf({ ...model, usage: { inputTokens: 200_000, outputTokens: 0 }, requests: 7 })
      expect(price).toMatchObject({ micros: 250_000, isEstimate: false })
    })
  )
})

describe("prices of the user", () => {
  const rates = { input: 2, output: 20 }
  for (const [what, prices, model, expected] of [
    ["rates", { "gpt-reserve": rates }, "gpt-reserve", { micros: 320_000, source: "user", version: "user" }],
    ["rates of a cache", { m: { ...rates, cacheRead: 0.2 } }, "m", { micros: 230_000, source: "user" }],
    ["before those of the table", { "gpt-5.5": rates }, "gpt-5.5", { micros: 320_000, source: "user" }],
    ["in another case, with a suffix", { "Opus[1m]": rates }, "opus", { micros: 320_000, source: "user" }],
    ["a model that costs the same", { "gpt-reserve": "gpt-5.5" }, "gpt-reserve", { micros: 555_000, source: "table" }],
    ["through another name", { a: "b", b: rates }, "a", { micros: 320_000, source: "user" }],
    ["of another vendor", { auto: "gemini-3.8-flash" }, "auto", { micros: 82_500 }],
    ["of a vendor that is named", { auto: "google/gemini-3.8-flash" }, "auto", { micros: 82_500 }],
    ["that costs nothing", { local: { input: 0, output: 0 } }, "local", { micros: 0, source: "user" }]
  ] as const)
    it.effect(what, () =>
      Effect.gen(function* () {
        expect(yield* priceOf({ model }, prices)).toMatchObject(expected)
      })
    )

  it.effect("an unknown name stays unknown", () =>
    Effect.gen(function* () {
      expect(yield* priceOf({ model: "auto" }, { auto: "no-such" })).toBeUndefined()
    })
  )
})

const tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000_000 }))
const usages = Schema.Struct({
  inputTokens: tokens,
  outputTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens
})
const models = Schema.Literals([
  "openai/gpt-5.5",
  "openai/gpt-6-astra",
  "anthropic/claude-opus-5-5",
  "anthropic/claude-sonnet-4-5-20250929",
  "google/gemini-2.5-pro",
  "google/gemini-3.8-flash"
])

describe("for any usage", () => {
  it.effect.prop("one request costs what the table itself says", [models, usages], ([model, usage]) =>
    Effect.gen(function* () {
      const [providerId = "", name = ""] = model.split("/")
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
      const own = calcPrice(
        {
          input_tokens: inputTokens + cacheReadTokens + cacheWriteTokens,
          output_tokens: outputTokens,
          cache_read_tokens: cacheReadTokens,
          cache_write_tokens: cacheWriteTokens
        },
        name,
        { providerId, timestamp: new Date(at) }
      )
      const price = yield* priceOf({ cli: "opencode", model, usage, requests: 1 })
      expect(price?.isEstimate).toBe(false)
      expect(Math.abs((price?.micros ?? Number.NaN) - (own?.total_price ?? 0) * 1e6)).toBeLessThan(0.51)
    })
  )

  it.effect.prop(
    "more requests never cost more, and a price is whole and ≥ 0",
    [models, usages, Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))],
    ([model, usage, requests]) =>
      Effect.gen(function* () {
        const one = (yield* microsOf({ cli: "opencode", model, usage, requests: 1 })) ?? Number.NaN
        const many = (yield* microsOf({ cli: "opencode", model, usage, requests })) ?? Number.NaN
        const unknown = (yield* microsOf({ cli: "opencode", model, usage })) ?? Number.NaN
        expect(Number.isSafeInteger(many) && many >= 0).toBe(true)
        expect(unknown <= many && many <= one).toBe(true)
      })
  )

  it.effect.prop("of any name, a price or none, and no failure", [Schema.String, Schema.String], ([cli, model]) =>
    Effect.gen(function* () {
      const price = yield* priceOf({ cli, model })
      expect(price === undefined || price.micros >= 0).toBe(true)
    })
  )
})

describe("the table", () => {
  it("is the one that is installed", () => {
    const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"))
    expect(priceTable.version).toBe(`genai-prices ${devDependencies["@pydantic/genai-prices"]}`)
  })

  it("has an age, also where the clock is before it", () => {
    expect(tableAgeDays(Date.parse("2026-10-23T01:00:00Z"))).toBe(30)
    expect(tableAgeDays(0)).toBe(0)
  })
})
