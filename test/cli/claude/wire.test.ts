/** Frequent lines are decoded by their own form, without a look at all others: to the same. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { claude } from "../../../src/cli/claude/index.ts"
import { decodeWire, Wire } from "../../../src/cli/claude/wire.ts"
import { wireDecoder } from "../../../src/cli/wireDecoder.ts"
import { fixturesOf } from "../fixtures.ts"
import { wireLines } from "../recordings.ts"

type Json = Readonly<Record<string, unknown>>

const decodeInUnion = wireDecoder(Wire)

const assertSame = (line: Json) => {
  const [found, expected] = [decodeWire(line), decodeInUnion(line)]
  if (Result.isFailure(expected))
    return assert.strictEqual(String(Result.getFailure(found)), String(Result.getFailure(expected)))
  const value = Result.getOrThrow(found)
  // A line of the stream is passed on as it is.
  assert.deepStrictEqual(value, line["type"] === "stream_event" ? line : expected.success)
}

const absent = Symbol("absent")
const strange = [absent, null, "x", "init", "user", 7, true, [], [null], {}]

/** The line with each of its fields replaced by each strange value. */
const changed = (line: Json): ReadonlyArray<Json> =>
  [...Object.keys(line), "subtype", "zz_new"].flatMap((name) =>
    strange.map((value) => {
      const { [name]: _, ...others } = line
      return value === absent ? others : { ...others, [name]: value }
    })
  )

const formOf = (line: Json) => [line["type"], line["subtype"], ...Object.keys(line)].join()

const recorded = new Map(
  fixturesOf(claude)
    .flatMap((fixture) => wireLines<Json>(fixture))
    .map((line) => [formOf(line), line] as const)
)

describe("a line", () => {
  it("is decoded as by the union of all, one recorded of each form", () => {
    assert.isAbove(recorded.size, 40)
    recorded.forEach(assertSame)
  })

  it("is, with any of its fields missing or of another type", () => {
    for (const line of recorded.values()) changed(line).forEach(assertSame)
  })
})
