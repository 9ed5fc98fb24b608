/** Numbers, foreign text and durations as people read and type them. */
import { it as effectIt } from "@effect/vitest"
import { Duration, Schema } from "effect"
import { CliOutput } from "effect/cli"
import { describe, expect, it } from "vitest"
import { formatCost, formatCount, formatDuration } from "../../src/contract/text/amounts.ts"
import { parseDuration } from "../../src/program/flags.ts"
import { clip, oneLine } from "../../src/program/format.ts"
import { foreign } from "../kit/foreignText.ts"

describe("formatDuration", () => {
  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1000, "1.0 s"],
    [9949, "9.9 s"],
    [9951, "10 s"],
    [59_600, "1 min 0 s"],
    [61_000, "1 min 1 s"],
    [3_599_600, "1 h 0 min"],
    [7_260_000, "2 h 1 min"]
  ])("%d ms is %s", (ms, text) => expect(formatDuration(ms)).toBe(text))
})

describe("formatCount and formatCost", () => {
  it.each([
    [999, "999"],
    [1000, "1k"],
    [1234, "1.2k"],
    [34_567, "35k"],
    [999_499, "999k"],
    [999_500, "1M"],
    [1_250_000, "1.3M"]
  ])("%d is %s", (count, text) => expect(formatCount(count)).toBe(text))
  it.each([
    [0, "$0"],
    [0.000064, "$0.000064"],
    [0.00388, "$0.0039"],
    [0.05, "$0.050"],
    [0.1234, "$0.12"],
    [12.5, "$12.50"]
  ])("%d is %s", (usd, text) => expect(formatCost(usd)).toBe(text))
})

it("oneLine leaves no line feeds", () => expect(oneLine("  a\n\tb\r\n c ")).toBe("a b c"))

describe("clip", () => {
  it.each([
    ["fits", "abc", 3, "abc"],
    ["is cut", "abcd", 3, "ab…"],
    ["is cut between wide characters", "日本語", 4, "日…"],
    ["keeps a family together", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5, "👩‍👩‍👧👩‍👩‍👧…"],
    ["has no room", "abc", 0, ""]
  ])("%s", (_, text, width, expected) => expect(clip(text, width)).toBe(expected))

  effectIt.prop("is never wider than asked", [foreign, Schema.Natural], ([text, width]) => {
    expect(CliOutput.displayWidth(clip(oneLine(text), width % 40))).toBeLessThanOrEqual(width % 40)
  })
})

describe("parseDuration", () => {
  it.each([
    ["90s", 90_000],
    ["10m", 600_000],
    ["1h30m", 5_400_000],
    ["500ms", 500],
    ["1.5h", 5_400_000],
    ["2min", 120_000],
    ["5 minutes", 300_000],
    ["1 hour", 3_600_000],
    [" 90S ", 90_000]
  ])("%s", (text, ms) => {
    const duration = parseDuration(text)
    expect(duration && Duration.toMillis(duration)).toBe(ms)
  })
  it.each(["", "90", "-5s", "1s30", "10 m", "minutes", "s", "5 minutes ago"])("%j is refused", (text) =>
    expect(parseDuration(text)).toBeUndefined()
  )
})
