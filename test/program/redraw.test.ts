/** Text below a transcript comes and goes without a trace, row by row, and only when it changes. */
import { describe, expect, it } from "vitest"
import { below, frame, nothingBelow } from "../../src/program/redraw.ts"
import { printable } from "../../src/program/sequences.ts"
import { makeTerminal } from "./chat/smallTerminal.ts"

const columns = 12

/** A simple generator: the same numbers each time. */
const numbers = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

const pieces = ["", "", "one\n", "two words\n", "\n", `${"long ".repeat(6)}\n`, "日本語日本語日本語\n"]

/** Erased rows are empty. */
const known = ({ lines }: ReturnType<typeof makeTerminal>) => lines().join("\n").trimEnd()

describe("any frames", () => {
  it.each(Array.from({ length: 100 }, (_, seed) => seed))("%i", (seed) => {
    const next = numbers(seed + 1)
    const upTo = (count: number) => Math.floor(next() * count)
    const terminal = makeTerminal(columns)
    let before = nothingBelow
    let all = ""
    for (let at = 0; at < 12; at++) {
      const rows = Array.from({ length: upTo(5) }, (_, row) => `${row} ${"f".repeat(upTo(columns - 2))}`)
      const text = pieces[upTo(pieces.length)] ?? ""
      all += text
      terminal.write(frame(before, text, below(rows)))
      before = below(rows)
      const plain = makeTerminal(columns)
      plain.write(all + before.text)
      expect(known(terminal)).toEqual(known(plain))
    }
    terminal.write(frame(before, "end", nothingBelow))
    const plain = makeTerminal(columns)
    plain.write(`${all}end`)
    expect(known(terminal)).toEqual(known(plain))
  })
})

describe("a frame", () => {
  it("of nothing new is nothing", () => {
    expect(frame(below(["a", "b"]), "", below(["a", "b"]))).toBe("")
    expect(frame(nothingBelow, "", nothingBelow)).toBe("")
  })

  it("that only changes rows rewrites each, and is shown at once", () => {
    expect(printable(frame(below(["a", "b"]), "", below(["c", "d"])))).toBe(
      "\x1b[?2026h\r\x1b[1Ac\x1b[K\nd\x1b[K\x1b[?2026l"
    )
  })

  it("never clears from the first row on", () => {
    const output = printable(frame(below(["a", "b"]), "text\n", below(["c"])))
    expect(output).not.toContain("\x1b[J")
    expect(output).toBe("\x1b[?2026h\r\x1b[K\x1b[A\x1b[Ktext\nc\x1b[?2026l")
  })

  it("without anything below is the text alone", () => {
    expect(frame(nothingBelow, "text\n", nothingBelow)).toBe("text\n")
  })
})
