// Prices of the user that cannot be used: each problem names its place and the cure.
import { describe, expect, it } from "vitest"
import { priceProblems } from "../../../src/money/prices/checkPrices.ts"

const textOf = (value: unknown) => priceProblems(value).map(({ path, problem }) => `${path.join(".")} ${problem}`)

const rate = "is not a number from 0 to 100000: US dollars per million tokens, without quotes or currency, such as 1.25"
const cure = "write the name of another model in quotes, or rates: { input = 1.25, output = 10 }"

describe("prices that cannot be used", () => {
  for (const [value, problem] of [
    [{ m: { input: "1.25", output: 10 } }, `m.input ${rate}`],
    [{ m: { input: 1, output: -10 } }, `m.output ${rate}`],
    [{ m: { input: Number.NaN, output: 1 } }, `m.input ${rate}`],
    [{ m: { input: 1, output: Number.POSITIVE_INFINITY } }, `m.output ${rate}`],
    [{ m: { input: 1, output: 1e9 } }, `m.output ${rate}`],
    [{ m: { input: 1, output: 1, cacheRead: null } }, `m.cacheRead ${rate}`],
    [{ m: { input: 1 } }, "m has no rate output; write { input = 1.25, output = 10 }"],
    [{ m: { input: 1, output: 1, cacheread: 1 } }, 'm.cacheread is not a rate of a model; did you mean "cacheRead"?'],
    [
      { m: { input: 1, output: 1, price: 1 } },
      "m.price is not a rate of a model (known: input, output, cacheRead, cacheWrite)"
    ],
    [{ m: 3 }, `m is neither a name nor rates: ${cure}`],
    [{ m: [1, 2] }, `m is neither a name nor rates: ${cure}`],
    [{ m: null }, `m is neither a name nor rates: ${cure}`],
    [{ m: "1.25" }, `m is a number in quotes: ${cure}`],
    [{ m: "" }, "m names a model that is empty: write the name of a model"],
    [{ "": { input: 1, output: 1 } }, " is empty: write the name of a model"],
    [{ m: "m" }, `m names itself: ${cure}`],
    [{ m: "M[1m]" }, `m names itself: ${cure}`],
    [3, ' is not a table of models: { "gpt-reserve": "gpt-5.6-luna" }'],
    [["m"], ' is not a table of models: { "gpt-reserve": "gpt-5.6-luna" }']
  ] as const)
    it(JSON.stringify(value), () => {
      expect(textOf(value)).toContain(problem)
    })

  it("names that lead back to themselves", () => {
    expect(textOf({ a: "b", b: "c", c: "a", d: "x" })).toEqual(
      ["a", "b", "c"].map((name) => `${name} leads back to itself through other names: give one of them rates`)
    )
  })

  it("a name with a dot and without quotes, which TOML takes for a table", () => {
    const [problem] = textOf({ "gpt-5": { "5": { input: 1, output: 1 } } })
    expect(problem).toBe("gpt-5.5 is not a rate of a model; a model with a dot in its name stands in quotes")
  })

  it("control characters", () => {
    expect(textOf({ "\u001b[2J": { input: 1, output: 1 } })[0]).toMatch(
      /has blanks, or control or invisible characters/
    )
    expect(textOf({ m: "a\u202eb" })[0]).toMatch(/names a model that has blanks, or control/)
  })
})

it("prices that can", () => {
  expect(textOf({ auto: "gpt-5.5", m: { input: 0, output: 0.000_1, cacheRead: 0, cacheWrite: 100 } })).toEqual([])
})
