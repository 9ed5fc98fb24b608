/**
 * Every recording of a CLI, through the same stages as a live run, gives the events and results that were reviewed by
 * eye.
 */
import { assert, describe, it } from "vitest"
import type { Cli } from "../../src/cli/Cli.ts"
import { type Fixture, fixturesOf, named, runFixture } from "./fixtures.ts"

/** As a consumer in another language gets it: undefined values are gone. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const only = (names: ReadonlyArray<string>, value: object) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))

const without = (names: ReadonlyArray<string>, value: object) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

const measured = ["durationMs", "aborted", "stderrTail", "exit"]

interface Recordings {
  /** Made for each run: a CLI may remember what it has seen. */
  readonly make: () => Cli
  /** So many situations were recorded that fewer mean a lost file. */
  readonly atLeast: number
}

export const describeRecordings = ({ make, atLeast }: Recordings) => {
  const fixtures = fixturesOf(make())

  describe("recordings", () => {
    it("are there, for every situation", () => {
      assert.isAtLeast(fixtures.length, atLeast)
    })

    it.each(named(fixtures))("%s", (_, fixture) => {
      const { expectation } = fixture
      const { events, all, result, certainAfter } = runFixture(make(), fixture)
      assert.deepStrictEqual(plain(events), expectation.events)
      const { error: expectedError, ...facts } = expectation.result
      assert.deepStrictEqual(plain(without(measured, result)), facts)
      assert.isFalse(result.aborted)
      assert.strictEqual(result.stderrTail, expectation.stderr)
      const error = all.find((event) => event.type === "error")
      assert.deepStrictEqual(error && plain(only(Object.keys(expectedError ?? error), error)), expectedError)
      assert.strictEqual(certainAfter === undefined ? null : certainAfter + 1, expectation.certainAfterLine)
      assert.deepStrictEqual(
        all.slice(events.length).map((event) => event.type),
        error === undefined ? ["done"] : ["error", "done"]
      )
    })
  })
}

/** The lines of a recording that are JSON, to count them a second time in a plainer way than the decoder's. */
export const wireLines = <Line>({ bytes }: Fixture): ReadonlyArray<Line> =>
  new TextDecoder()
    .decode(bytes)
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
