/**
 * A terminal with a scrolling transcript and a footer that is redrawn on each change: the text to write, and the position of
 * the cursor; pure. Each line of the footer fits on one row.
 */
import { CliOutput } from "effect/cli"
import { graphemesOf } from "../../contract/text/graphemes.ts"
import { sequence } from "../sequences.ts"

export interface Footer {
  readonly lines: ReadonlyArray<string>
  readonly row: number
  readonly column: number
}

export interface Screen {
  /** Cells used on the last row of the transcript; the number of columns if it is full. */
  readonly column: number
  /** Cells of the last line, which may have taken several rows. */
  readonly cells: number
  /** The cursor is at the start of the row below a full one that has no line feed yet. */
  readonly isWrapped: boolean
  /** The footer's row with the cursor; undefined without a footer. */
  readonly footerRow: number | undefined
}

export const emptyScreen: Screen = { column: 0, cells: 0, isWrapped: false, footerRow: undefined }

/** Cells used on the last row after a text, which a terminal wraps at its edge. */
export const columnAfter = (column: number, text: string, columns: number): number => {
  const at = text.lastIndexOf("\n") + 1
  const line = text.slice(at).replace(/\x1b\[[\d;]*m/g, "")
  let cells = at === 0 ? column : 0
  for (const { segment } of graphemesOf(line)) {
    const width = segment === "\t" ? Math.min(8 - (cells % 8), columns - 1 - cells) : CliOutput.displayWidth(segment)
    cells = cells + width > columns ? width : cells + width
  }
  return cells
}

const up = (rows: number) => (rows > 0 ? sequence(`\x1b[${rows}A`) : "")
const toStart = sequence("\r")
const right = (cells: number) => (cells > 0 ? sequence(`\x1b[${cells}C`) : "")

/** Erases the footer and moves the cursor to the end of the transcript; after a full row, to the start of the next. */
const wipe = (screen: Screen, columns: number): readonly [Screen, string] => {
  const { column, footerRow } = screen
  if (footerRow === undefined) return [screen, ""]
  const isFull = column >= columns
  const isMiddle = column > 0 && !isFull
  const text = `${up(footerRow + (isMiddle ? 1 : 0))}${toStart}${isMiddle ? right(column) : ""}${sequence("\x1b[J")}`
  const wiped = { ...screen, footerRow: undefined }
  return [isFull ? { ...wiped, column: 0, isWrapped: true } : wiped, text]
}

/** Drops the first line feed: the cursor is already where it would move it. */
const withoutFeed = (text: string) => text.replace(/^((?:\x1b\[[\d;]*m)*)\n/, "$1")

const append = (screen: Screen, text: string, columns: number): readonly [Screen, string] => {
  if (text === "") return [screen, ""]
  const output = screen.isWrapped ? withoutFeed(text) : text
  const column = columnAfter(screen.column, output, columns)
  const cells = columnAfter(screen.cells, output, Number.MAX_SAFE_INTEGER)
  return [{ column, cells, isWrapped: false, footerRow: undefined }, output]
}

const drawFooter = ({ lines, row, column }: Footer, isMiddle: boolean): string =>
  `${isMiddle ? "\n" : ""}${lines.join("\n")}${up(lines.length - 1 - row)}${toStart}${right(column)}`

/** Row by row: no row is blank in between, and no terminal scrolls away what it clears. */
const redrawn = (from: number, { lines, row, column }: Footer): string => {
  const rows = lines.join(`${sequence("\x1b[K")}\n`)
  return `${up(from)}${toStart}${rows}${sequence("\x1b[J")}${up(lines.length - 1 - row)}${toStart}${right(column)}`
}

const rowsFor = (cells: number, columns: number) => Math.max(1, Math.ceil(cells / columns))

/** Adjusts to another width: the terminal has wrapped the transcript's last line and the footer. */
export const resized = (screen: Screen, footer: Footer | undefined, columns: number): Screen => {
  const { cells, footerRow } = screen
  const column = cells === 0 ? 0 : ((cells - 1) % columns) + 1
  const wrapped = { ...screen, column, isWrapped: false }
  if (footer === undefined || footerRow === undefined) return wrapped
  const above = footer.lines.slice(0, footerRow).map((line) => rowsFor(CliOutput.displayWidth(line), columns))
  const rows = above.reduce((sum, one) => sum + one, 0)
  return { ...wrapped, footerRow: rows + Math.floor(footer.column / columns) }
}

export const compose = (
  screen: Screen,
  text: string,
  footer: Footer | undefined,
  columns: number
): readonly [Screen, string] => {
  if (text === "" && screen.footerRow !== undefined && footer !== undefined && footer.lines.length > 0) {
    return [{ ...screen, footerRow: footer.row }, redrawn(screen.footerRow, footer)]
  }
  const [start, wiped] = wipe(screen, columns)
  const [after, output] = append(start, text, columns)
  if (footer === undefined || footer.lines.length === 0) return [after, wiped + output]
  return [{ ...after, footerRow: footer.row }, wiped + output + drawFooter(footer, after.column > 0)]
}
