/** Recorded live sessions of the real CLI, played both ways: what comes out was reviewed by eye. */
import { assert, describe, it } from "vitest"
import { expectationOf, play, scenarios } from "./player.ts"

/** As a consumer in another language gets it: undefined values are gone. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("live recordings", () => {
  it("are there, for every situation", () => {
    assert.isAtLeast(scenarios.length, 17)
  })

  it.each(scenarios)("%s", (scenario) => {
    const { params, outputs } = expectationOf(scenario)
    assert.deepStrictEqual(plain(play(scenario, params).outputs), outputs)
  })
})

describe("standing", () => {
  const table: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["text-and-thoughts", ["opening", "resting", "working", "resting", "working", "resting"]],
    ["load", ["opening", "resting", "working", "resting"]],
    ["no-key", ["opening"]]
  ]

  it.each(table)("of %s", (scenario, standings) => {
    assert.deepStrictEqual(play(scenario, expectationOf(scenario).params).standings, standings)
  })
})
