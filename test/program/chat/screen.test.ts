/** The footer comes and goes, and the transcript is as if it had never been there: on a small terminal. */
import { describe, expect, it } from "vitest"
import { columnAfter, compose, emptyScreen, type Footer, resized } from "../../../src/program/chat/screen.ts"
import { styled } from "../../../src/program/sequences.ts"
import { makeTerminal } from "./smallTerminal.ts"

const columns = 10

interface Frame {
  readonly text: string
  readonly footer: Footer | undefined
}

const footer = (lines: ReadonlyArray<string>, row = lines.length - 1, column = 0): Footer => ({ lines, row, column })

/** The content of a terminal after all frames. */
const visible = (frames: ReadonlyArray<Frame>) => {
  const terminal = makeTerminal(columns)
  let screen = emptyScreen
  for (const { text, footer } of frames) {
    const [next, output] = compose(screen, text, footer, columns)
    screen = next
    terminal.write(output)
  }
  return terminal
}

describe("a footer", () => {
  it("stands below a line, and is gone when the line goes on", () => {
    const frames = [{ text: "one ", footer: footer(["", "› x"], 1, 3) }]
    expect(visible(frames).lines()).toEqual(["one ", "", "› x"])
    expect(visible(frames).cursor()).toEqual({ row: 2, column: 3 })
    expect(visible([...frames, { text: "two", footer: undefined }]).lines()).toEqual(["one two"])
  })

  it("has its cursor on any of its lines", () => {
    const frames = [{ text: "one\n", footer: footer(["ab", "cd", "ef"], 0, 1) }]
    expect(visible(frames).cursor()).toEqual({ row: 1, column: 1 })
    expect(visible([...frames, { text: "two\n", footer: footer(["g"]) }]).lines()).toEqual(["one", "two", "g"])
  })

  it("leaves a row that is full as it is", () => {
    const frames = [{ text: "0123456789", footer: footer(["f"]) }]
    expect(visible([...frames, { text: "ab", footer: footer(["f"]) }]).lines()).toEqual(["0123456789", "ab", "f"])
  })
})

/** A simple generator: the same numbers each time. */
const numbers = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

const pieces = ["a", "bcd ", "日本", "é", "\n", "\n\n", "word word ", "x".repeat(10), styled("\x1b[2mdim\x1b[0m"), ""]

describe("any pieces of text and any footers", () => {
  it.each(Array.from({ length: 200 }, (_, seed) => seed))("%i", (seed) => {
    const next = numbers(seed + 1)
    const upTo = (count: number) => Math.floor(next() * count)
    const frames = Array.from({ length: 12 }, (): Frame => {
      const lines = Array.from({ length: upTo(4) }, () => "f".repeat(upTo(columns)))
      const text = pieces[upTo(pieces.length)] ?? ""
      return { text, footer: lines.length === 0 ? undefined : footer(lines, upTo(lines.length), upTo(columns - 1)) }
    })
    const plain = makeTerminal(columns)
    plain.write(`${frames.map(({ text }) => text).join("")}.`)
    expect(visible([...frames, { text: ".", footer: undefined }]).lines()).toEqual(plain.lines())
  })
})

describe("columnAfter", () => {
  it.each([
    [0, "", 0],
    [3, "ab", 5],
    [3, "ab\n", 0],
    [3, "a\nbc", 2],
    [0, "0123456789", 10],
    [10, "a", 1],
    [9, "日", 2],
    [0, styled("\x1b[1mab\x1b[0m"), 2],
    [1, "\t", 8]
  ])("%i and %j", (column, text, after) => {
    expect(columnAfter(column, text, columns)).toBe(after)
  })
})

describe("a terminal that became narrower", () => {
  it("has wrapped the footer and the transcript's last line anew", () => {
    const wide = { lines: ["0123456789012", "› abc"], row: 1, column: 5 }
    const [screen] = compose(emptyScreen, "a line of 18 cells", wide, 40)
    expect(resized(screen, wide, 10)).toMatchObject({ column: 8, footerRow: 2 })
    expect(resized(screen, wide, 40)).toMatchObject({ column: 18, footerRow: 1 })
    expect(resized(emptyScreen, undefined, 10)).toEqual(emptyScreen)
  })
})
