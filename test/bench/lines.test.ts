/** The stubs of the measurement print what it claims; otherwise it would measure a reader that loses lines. */
import { describe, expect, it } from "vitest"
import { runOf } from "../../bench/speed/lines/claude.ts"
import { liveTurn } from "../../bench/speed/lines/liveTurn.ts"
import { type Claim, claimOf, type Part } from "../../bench/speed/lines/part.ts"
import { claudeRun, codexRun } from "../../bench/speed/lines/runs.ts"
import { makeSay } from "../../bench/speed/lines/words.ts"
import { type CliId, clis, replay } from "../../src/index.ts"

const read = (cli: CliId, lines: ReadonlyArray<string>) => {
  const events = replay(clis[cli], lines.map((line) => `${line}\n`).join(""))
  const done = events.at(-1)
  if (done?.type !== "done") throw new Error("no done")
  const results = events.filter((event) => event.type === "tool_result")
  const strange = events.filter(({ type }) => type === "unknown" || type === "notice" || type === "error")
  const claim: Claim = {
    lines: lines.length,
    text: done.result.text,
    toolCalls: results.length,
    outputCharacters: results.reduce((sum, { output }) => sum + output.length, 0)
  }
  return { claim, outcome: done.result.outcome, strange }
}

const runs: ReadonlyArray<readonly [CliId, (lines: number) => ReadonlyArray<Part>]> = [
  ["claude", claudeRun],
  ["codex", codexRun]
]

describe.each(runs)("lines of %s", (cli, runOfParts) => {
  it.each([30, 137, 2_000, 25_000])("a run of %i lines has so many, and is read as it claims", (lines) => {
    const parts = runOfParts(lines)
    const claim = claimOf(parts)
    expect(claim.lines).toBe(lines)
    expect(
      read(
        cli,
        parts.flatMap((part) => part.lines)
      )
    ).toEqual({ claim, outcome: "completed", strange: [] })
  })
})

it("a run whose lines are made one by one has so many, and says what it was told to say", () => {
  const texts: Array<string> = []
  const say = makeSay()
  const lines = [
    ...runOf(2_000, () => {
      const text = `@${texts.length} ${say()}`
      texts.push(text)
      return text
    })
  ]
  const { claim, outcome, strange } = read("claude", lines)
  expect({ lines: claim.lines, text: claim.text.replaceAll("\n\n", ""), outcome, strange }).toEqual({
    lines: 2_000,
    text: texts.join(""),
    outcome: "completed",
    strange: []
  })
})

it("a turn of a live session has 51 lines, and says what it claims", () => {
  const { lines, text } = liveTurn()
  expect(lines).toHaveLength(51)
  expect(read("claude", lines)).toMatchObject({ claim: { text }, outcome: "completed" })
})
