/**
 * A terminal with a transcript that scrolls and a footer below it that is redrawn on each change: the text to write, and
 * the position of the cursor; pure. Each line of the footer fits on one row.
 */
import { CliOutput } from "effect/cli"
import { sequence } from "../sequences.ts"

export interface Footer {
  readonly lines: ReadonlyArray<string>
  /** Position of the cursor in the lines. */
  readonly row: number
  readonly column: number
}

export interface Screen {
  /** Cells used on the last row of the transcript; the number of columns when it is full. */
  readonly column: number
  /** The cursor is at the start of the row below a full one that has no line feed yet. */
  readonly isWrapped: boolean
  /** The footer's row with the cursor; undefined while there is no footer. */
  readonly footerRow: number | undefined
}

export const emptyScreen: Screen = { column: 0, isWrapped: false, footerRow: undefined }

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Cells used on the last row after a text was written, which a terminal wraps at its edge. */
export const columnAfter = (column: number, text: string, columns: number): number => {
  const at = text.lastIndexOf("\n") + 1
  const line = text.slice(at).replace(/\x1b\[[\d;]*m/g, "")
  let cells = at === 0 ? column : 0
  for (const { segment } of graphemes.segment(line)) {
    const width = segment === "\t" ? Math.min(8 - (cells % 8), columns - 1 - cells) : CliOutput.displayWidth(segment)
    cells = cells + width > columns ? width : cells + width
  }
  return cells
}

const up = (rows: number) => (rows > 0 ? sequence(`\x1b[${rows}A`) : "")
const toStart = sequence("\r")
const right = (cells: number) => (cells > 0 ? sequence(`\x1b[${cells}C`) : "")

/** Erases the footer and puts the cursor at the end of the transcript; after a full row that is the start of the next. */
const wipe = (screen: Screen, columns: number): readonly [Screen, string] => {
  const { column, footerRow } = screen
  if (footerRow === undefined) return [screen, ""]
  const isFull = column >= columns
  const isMiddle = column > 0 && !isFull
  const text = `${up(footerRow + (isMiddle ? 1 : 0))}${toStart}${isMiddle ? right(column) : ""}${sequence("\x1b[J")}`
  return [isFull ? { column: 0, isWrapped: true, footerRow: undefined } : { ...screen, footerRow: undefined }, text]
}

/** Drops the first line feed: the cursor is already where it would move it. */
const withoutFeed = (text: string) => text.replace(/^((?:\x1b\[[\d;]*m)*)\n/, "$1")

const append = (screen: Screen, text: string, columns: number): readonly [Screen, string] => {
  if (text === "") return [screen, ""]
  const written = screen.isWrapped ? withoutFeed(text) : text
  const column = columnAfter(screen.column, written, columns)
  return [{ column, isWrapped: false, footerRow: undefined }, written]
}

const drawFooter = ({ lines, row, column }: Footer, isMiddle: boolean): string =>
  `${isMiddle ? "\n" : ""}${lines.join("\n")}${up(lines.length - 1 - row)}${toStart}${right(column)}`

/** Appends text to the transcript and replaces the footer: the screen after that, and the text to write. */
export const compose = (
  screen: Screen,
  text: string,
  footer: Footer | undefined,
  columns: number
): readonly [Screen, string] => {
  const [start, wiped] = wipe(screen, columns)
  const [after, written] = append(start, text, columns)
  if (footer === undefined || footer.lines.length === 0) return [after, wiped + written]
  return [{ ...after, footerRow: footer.row }, wiped + written + drawFooter(footer, after.column > 0)]
}
