/** Neither the chunks in which a run is read nor unknown lines hide or change the rest of it. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { Cli } from "../../src/cli/Cli.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { runs } from "../kit/runs.ts"
import { fixturesOf, named, runFixture } from "./fixtures.ts"
import { linesOf, type Outcome, print, runLines } from "./transcript.ts"

interface Robustness {
  /** Made for each run: a CLI may remember what it has seen. */
  readonly make: () => Cli
  /** The lines of made-up runs. */
  readonly madeUp: Arbitrary.Arbitrary<ReadonlyArray<unknown>>
  /** Lines that the CLI has never printed; text stands for itself. */
  readonly strange: ReadonlyArray<unknown>
  /** The fields whose objects are keyed by names, where one more would be one more model or agent. */
  readonly records: ReadonlyArray<string>
  /** Whether the last line ends the run, so that lines after it are not read. */
  readonly lastLineEnds: boolean
}

const isStrange = (event: AgentEvent) =>
  event.type === "unknown" || (event.type === "notice" && event.kind === "malformed_line")

const Strangers = Schema.Array(Schema.Struct({ what: Schema.Natural, at: Schema.Natural }))

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replace(/\n$/, "")

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Adds an unknown field to every object. */
const addFields = (value: unknown, records: ReadonlyArray<string>, key = ""): unknown => {
  if (Array.isArray(value)) return value.map((item) => addFields(item, records))
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([name, inner]) => [name, addFields(inner, records, name)])
  return Object.fromEntries(records.includes(key) ? fields : [...fields, ["zz_new", { nested: ["new"] }]])
}

/** Where a value is handed on whole, its new fields are, too. */
const dropFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(dropFields)
  if (!isObject(value)) return value
  const known = Object.entries(value).filter(([name]) => name !== "zz_new")
  return Object.fromEntries(known.map(([name, inner]) => [name, dropFields(inner)]))
}

/** Pieces of the given sizes, over and over. */
const cutUp = (bytes: Uint8Array, sizes: ReadonlyArray<number>) => {
  const chunks: Array<Uint8Array> = []
  for (let from = 0, index = 0; from < bytes.length; index++) {
    const size = 1 + ((sizes[index % sizes.length] ?? 0) % 1_000)
    chunks.push(bytes.subarray(from, from + size))
    from += size
  }
  return chunks
}

export const describeRobustness = ({ make, madeUp, strange, records, lastLineEnds }: Robustness) => {
  const fixtures = fixturesOf(make())

  describe("the chunks", () => {
    const whole = new Map(fixtures.map((fixture) => [fixture.name, runFixture(make(), fixture).all]))

    it.prop(
      "of a recording do not matter",
      [Schema.Natural, Arbitrary.array(Arbitrary.schema(Schema.Natural), { minLength: 1 })],
      ([which, sizes]) => {
        const fixture = fixtures[which % fixtures.length] ?? assert.fail()
        const { all } = runFixture(make(), fixture, cutUp(fixture.bytes, sizes))
        assert.deepStrictEqual(all, whole.get(fixture.name))
      },
      runs(300)
    )

    it.each(named(fixtures))("of %s may be single bytes", (name, fixture) => {
      assert.deepStrictEqual(runFixture(make(), fixture, cutUp(fixture.bytes, [0])).all, whole.get(name))
    })
  })

  describe("unknown lines and fields", () => {
    const mixIn = (lines: ReadonlyArray<unknown>, strangers: typeof Strangers.Type) =>
      strangers.reduce<ReadonlyArray<unknown>>((all, { what, at }) => {
        const places = lastLineEnds ? Math.max(1, all.length) : all.length + 1
        return all.toSpliced(at % places, 0, strange[what % strange.length])
      }, lines)

    const assertSameButStrange = (mixed: Outcome, alone: Outcome, strangers: number) => {
      const known = (events: ReadonlyArray<AgentEvent>) => events.filter((event) => !isStrange(event))
      assert.deepStrictEqual(known(mixed.events), known(alone.events))
      assert.strictEqual(mixed.events.filter(isStrange).length, alone.events.filter(isStrange).length + strangers)
      assert.deepStrictEqual(mixed.result, alone.result)
    }

    it.prop(
      "hide nothing of a made-up run, and are kept",
      [madeUp, Strangers],
      ([lines, strangers]) => {
        const mixed = runLines(make(), mixIn(lines, strangers))
        assertSameButStrange(mixed, runLines(make(), lines), strangers.length)
      },
      runs(200)
    )

    it.prop(
      "hide nothing of a recording, and are kept",
      [Schema.Natural, Strangers],
      ([which, strangers]) => {
        const fixture = fixtures[which % fixtures.length] ?? assert.fail()
        const mixed = runFixture(make(), fixture, print(mixIn(linesOf(fixture.bytes).map(textOf), strangers)))
        assertSameButStrange(mixed, runFixture(make(), fixture), strangers.length)
      },
      runs(200)
    )

    it.each(named(fixtures))("new fields change nothing in %s", (_, fixture) => {
      const wider = (line: string) => (line.startsWith("{") ? addFields(JSON.parse(line), records) : line)
      const chunks = print(linesOf(fixture.bytes).map((line) => wider(textOf(line))))
      const { all } = runFixture(make(), fixture, chunks)
      assert.deepStrictEqual(dropFields(all), dropFields(runFixture(make(), fixture).all))
    })
  })
}
