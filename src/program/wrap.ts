/**
 * A line of text → rows of at most `width` cells, with no character lost or added: a row ends after a space if it has one,
 * else between graphemes. Pure.
 */
import { CliOutput } from "effect/cli"
import { graphemesOf } from "../contract/text/graphemes.ts"

type Cell = readonly [grapheme: string, width: number]

/** A cache of widths beyond ASCII: measuring is slow, and texts repeat their characters. */
const measured = new Map<string, number>()
const maxMeasured = 10_000

const widthOfCharacter = (text: string): number => {
  const known = measured.get(text)
  if (known !== undefined) return known
  const width = CliOutput.displayWidth(text)
  if (measured.size >= maxMeasured) measured.clear()
  measured.set(text, width)
  return width
}

const cellsOf = (line: string): ReadonlyArray<Cell> =>
  /^[\x20-\x7e]*$/.test(line)
    ? Array.from(line, (character) => [character, 1] as const)
    : Array.from(graphemesOf(line), ({ segment }) => [segment, widthOfCharacter(segment)] as const)

/** `line` has no line feed; `width` is at least 2. */
export const wrap = (line: string, width: number): ReadonlyArray<string> => {
  const cells = cellsOf(line)
  const rows: Array<string> = []
  let from = 0
  let used = 0
  /** After the last space of this row. */
  let breakAt = 0
  for (let at = 0; at < cells.length; at++) {
    const [text, cellWidth] = cells[at] ?? ["", 0]
    // Repeats for a wide character, which may not fit after the rest of the row, either.
    while (used + cellWidth > width && at > from) {
      const to = breakAt > from ? breakAt : at
      rows.push(joined(cells, from, to))
      from = to
      used = widthOf(cells, from, at)
    }
    used += cellWidth
    if (text === " ") breakAt = at + 1
  }
  rows.push(joined(cells, from, cells.length))
  return rows
}

const joined = (cells: ReadonlyArray<Cell>, from: number, to: number) =>
  cells
    .slice(from, to)
    .map(([text]) => text)
    .join("")

const widthOf = (cells: ReadonlyArray<Cell>, from: number, to: number) => {
  let width = 0
  for (let at = from; at < to; at++) width += cells[at]?.[1] ?? 0
  return width
}
