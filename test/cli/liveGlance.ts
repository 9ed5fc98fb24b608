/** The same as `glance.ts` of a CLI whose live sessions have lines of their own: their recordings, and mutations of them. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Cli } from "../../src/cli/Cli.ts"
import type { CliId } from "../../src/cli/clis.ts"
import type { Dialogue } from "../../src/cli/Live.ts"
import { recordingUrl } from "../kit/recordings.ts"
import { runs } from "../kit/runs.ts"
import { assertSameReading, large, Sizes, sessionReader } from "./glance.ts"
import { everyMutation, Mutations, mutatedLines, shapeOf } from "./mutations.ts"

interface LiveGlances {
  readonly cli: Cli
  /** The output of each recorded session. */
  readonly talks: ReadonlyArray<string>
  /** A dialogue in each state that matters; made anew in the same way each time. */
  readonly dialogues: readonly [() => Dialogue, ...ReadonlyArray<() => Dialogue>]
  /** Minimum of lines that are read at a glance: a test of none could not fail. */
  readonly atLeast: number
}

/** The files with this name of all recorded sessions of a CLI. */
export const talksOf = (id: CliId, file: string): ReadonlyArray<string> => {
  const folder = recordingUrl(id, "live/")
  return readdirSync(folder).map((name) => readFileSync(new URL(`${name}/${file}`, folder), "utf8"))
}

export const describeLiveGlance = ({ cli, talks, dialogues, atLeast }: LiveGlances) => {
  /** Gives the number of lines that were read at a glance. */
  const assertSame = (text: string, sizes: ReadonlyArray<number>, make = dialogues[0]) => {
    const makeReader = () => sessionReader(make)
    return assertSameReading(() => cli, makeReader, text, sizes)
  }
  const linesOf = (text: string) => text.split("\n")
  const isFrequent = (line: string) => dialogues[0]().glance?.(line) !== undefined

  describe("a glance at a live session", () => {
    it("reads the frequent lines of the recordings, as they are read without", () => {
      for (const make of dialogues) {
        const counts = talks.map((text) => assertSame(text, [4_096], make))
        const sum = counts.reduce((all, count) => all + count, 0)
        assert.isAtLeast(sum, atLeast)
      }
      for (const text of talks) assertSame(text, [0])
    })

    it.prop(
      "reads mutated lines as they are read without",
      [Schema.Natural, Mutations, Sizes],
      ([which, mutations, sizes]) => {
        const text = talks[which % talks.length] ?? assert.fail()
        assertSame(mutatedLines(linesOf(text), mutations).join("\n"), sizes)
      },
      runs(60)
    )

    // A change in a line that would be read at a glance is where the two could part.
    it("reads frequent lines with any change as they are read without", () => {
      const recorded = talks.flatMap(linesOf)
      const frequent = recorded.filter(isFrequent)
      for (const line of new Map(frequent.map((line) => [shapeOf(line), line])).values()) {
        const lines = everyMutation(line, recorded)
        for (let from = 0; from < lines.length; from += 100) {
          assertSame(lines.slice(from, from + 100).join("\n"), large)
        }
      }
    })
  })
}
