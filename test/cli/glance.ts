/**
 * A glance changes nothing: recordings, mutations of their lines and generated streams mean the same with it and without it, in
 * runs and live sessions. Compared line by line: events, session, notices, size, report, standing and verdict.
 */
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema, Stream } from "effect"
import { pipeline } from "../../src/agents/engine/pipeline.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import type { CliId } from "../../src/cli/clis.ts"
import type { Stages } from "../../src/cli/Decoder.ts"
import type { Dialogue } from "../../src/cli/Live.ts"
import { HostEnvironment } from "../../src/system/process/HostEnvironment.ts"
import { Arbitraries } from "../../src/testingEffect.ts"
import { runs } from "../kit/runs.ts"
import { fixturesOf, named } from "./fixtures.ts"
import { everyMutation, Mutations, mutatedLines, shapeOf } from "./mutations.ts"

interface Glances {
  /** Made for each run: a CLI may remember what it has seen. */
  readonly make: () => Cli
  /** Minimum of lines of the recordings that are read at a glance: a test of none could not fail. */
  readonly atLeast: number
  /** An open dialogue, if live sessions have a glance; made anew in the same way each time. */
  readonly dialogue?: () => Dialogue
  /** Made-up runs, in addition to those of the test kit. */
  readonly madeUp?: Arbitrary.Arbitrary<ReadonlyArray<unknown>>
}

const encoder = new TextEncoder()

const mostBytes = 2_000
/** The largest pieces. */
export const large = [mostBytes - 1]

/** Pieces of one byte more than the given sizes, over and over. */
const cutUp = (text: string, sizes: ReadonlyArray<number>) => {
  const bytes = encoder.encode(text)
  const chunks: Array<Uint8Array> = []
  for (let from = 0, index = 0; from < bytes.length; index++) {
    const size = 1 + ((sizes[index % sizes.length] ?? 0) % mostBytes)
    chunks.push(bytes.subarray(from, from + size))
    from += size
  }
  return chunks
}

export interface Reader<Output> {
  readonly stages: Stages<Output>
  /** State after a line. */
  readonly known: () => unknown
  /** State after the last line. */
  readonly outcome?: () => unknown
}

export const sessionReader = (make: () => Dialogue): Reader<unknown> => {
  const { push, glance, standing, report } = make()
  return { stages: (use) => use((json) => json, push, glance), known: () => [standing(), report?.()] }
}

/** Each line as a listener gets it. */
const read = <Output>(
  cli: Cli,
  { stages, known, outcome }: Reader<Output>,
  chunks: ReadonlyArray<Uint8Array>,
  REINS_GLANCE: string
) => {
  const lines: Array<unknown> = []
  let glances = 0
  const stdout = Stream.fromIterable(chunks)
  const reading = pipeline({
    stdout,
    stages,
    onLine: ({ json, glance, outputs, notices, bytes, isUnfinished }) => {
      if (glance !== undefined) glances += 1
      const { sessionId, mayChange } = glance ?? cli.lineSession?.(json) ?? {}
      lines.push({ outputs: outputs(), sessionId, mayChange, notices, bytes, isUnfinished, known: known() })
    }
  })
  Effect.runSync(Effect.provideService(reading, HostEnvironment, { REINS_GLANCE }))
  return { lines, outcome: outcome?.(), glances }
}

/** Sizes of chunks. */
export const Sizes = Arbitrary.array(Arbitrary.schema(Schema.Natural), { minLength: 1 })

/** Gives the number of lines that were read at a glance. */
export const assertSameReading = (
  make: () => Cli,
  makeReader: (cli: Cli) => Reader<unknown>,
  text: string,
  sizes: ReadonlyArray<number>
): number => {
  const reading = (switched: string) => {
    const cli = make()
    return read(cli, makeReader(cli), cutUp(text, sizes), switched)
  }
  const { glances, ...glanced } = reading("")
  const expected = reading("0")
  // Node's own is faster by far; the other tells the difference.
  if (!isDeepStrictEqual({ ...glanced, glances: 0 }, expected)) {
    assert.deepStrictEqual({ ...glanced, glances: 0 }, expected)
    assert.fail("they differ")
  }
  return glances
}

export const describeGlance = ({ make, atLeast, dialogue, madeUp }: Glances) => {
  const fixtures = fixturesOf(make())
  const linesOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).split("\n")

  const inRun = (cli: Cli): Reader<unknown> => {
    const { stages, report, standing, verdict } = cli.decoder({ prompt: "" })
    const outcome = () => [undefined, { code: 0 }, { code: 1 }].map(verdict)
    return { stages, known: () => [report(), standing()], outcome }
  }
  const readers = dialogue === undefined ? [inRun] : [inRun, () => sessionReader(dialogue)]

  /** Gives the numbers of lines that were read at a glance. */
  const assertSame = (text: string, sizes: ReadonlyArray<number>, by = readers) =>
    by.map((makeReader) => assertSameReading(make, makeReader, text, sizes))

  describe("a glance", () => {
    it("reads the frequent lines of the recordings, in runs and live sessions", () => {
      const counts = fixtures.map(({ bytes }) => assertSame(new TextDecoder().decode(bytes), [4_096]))
      for (const index of readers.keys()) {
        const sum = counts.reduce((all, count) => all + (count[index] ?? 0), 0)
        assert.isAtLeast(sum, atLeast)
      }
    })

    it.each(named(fixtures))("reads %s as it is read without, also in single bytes", (_, { bytes }) => {
      const text = new TextDecoder().decode(bytes)
      assertSame(text, [0])
      assertSame(text.slice(0, -30), large)
    })

    it.prop(
      "reads mutated lines as they are read without",
      [Schema.Natural, Mutations, Sizes],
      ([which, mutations, sizes]) => {
        const { bytes } = fixtures[which % fixtures.length] ?? assert.fail()
        assertSame(mutatedLines(linesOf(bytes), mutations).join("\n"), sizes)
      },
      runs(200)
    )

    // A change in a line that would be read at a glance is where the two could part.
    it("reads frequent lines with any change as they are read without", () => {
      const isFrequent = (line: string) => assertSame(line, large, [inRun])[0] !== 0
      const recorded = fixtures.flatMap(({ bytes }) => linesOf(bytes))
      const frequent = recorded.filter(isFrequent)
      for (const line of new Map(frequent.map((line) => [shapeOf(line), line])).values()) {
        const lines = everyMutation(line, recorded)
        for (let from = 0; from < lines.length; from += 100) {
          assertSame(lines.slice(from, from + 100).join("\n"), large, [inRun])
        }
      }
    })

    it.prop(
      "reads generated runs as they are read without, and their mutations",
      [Arbitraries.wire(make().id as CliId), Mutations, Sizes], // only those that are known have a wire
      ([{ lines }, mutations, sizes]) => {
        assertSame(lines.join("\n"), sizes)
        assertSame(mutatedLines(lines, mutations).join("\n"), sizes)
      },
      runs(40)
    )

    if (madeUp === undefined) return
    it.prop(
      "reads made-up runs as they are read without",
      [madeUp, Mutations, Sizes],
      ([lines, mutations, sizes]) => {
        const printed = lines.map((line) => JSON.stringify(line))
        assertSame(mutatedLines(printed, mutations).join("\n"), sizes)
      },
      runs(40)
    )
  })
}
