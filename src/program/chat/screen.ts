/**
 * A terminal with a transcript that scrolls and a footer below it that is drawn anew with each change: what to write,
 * and where the cursor stands; pure. The footer's lines fit on one row each.
 */
import { CliOutput } from "effect/cli"
import { sequence } from "../sequences.ts"

export interface Footer {
  readonly lines: ReadonlyArray<string>
  /** Where the cursor shall stand in them. */
  readonly row: number
  readonly column: number
}

export interface Screen {
  /** Cells on the row where the transcript ends; as many as there are columns when it is full. */
  readonly column: number
  /** On the beginning of the row below a full one, which has no line feed yet. */
  readonly isWrapped: boolean
  /** The row of the footer in which the cursor stands; undefined while there is none. */
  readonly footerRow: number | undefined
}

export const emptyScreen: Screen = { column: 0, isWrapped: false, footerRow: undefined }

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Cells on the last row after a text was written, which a terminal wraps at its edge. */
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

/** Takes the footer away and stands where the transcript ends; from a full row that is the beginning of the next. */
const wipe = (screen: Screen, columns: number): readonly [Screen, string] => {
  const { column, footerRow } = screen
  if (footerRow === undefined) return [screen, ""]
  const isFull = column >= columns
  const isMiddle = column > 0 && !isFull
  const text = `${up(footerRow + (isMiddle ? 1 : 0))}${toStart}${isMiddle ? right(column) : ""}${sequence("\x1b[J")}`
  return [isFull ? { column: 0, isWrapped: true, footerRow: undefined } : { ...screen, footerRow: undefined }, text]
}

/** The cursor stands where the first line feed would take it. */
const withoutFeed = (text: string) => text.replace(/^((?:\x1b\[[\d;]*m)*)\n/, "$1")

const append = (screen: Screen, text: string, columns: number): readonly [Screen, string] => {
  if (text === "") return [screen, ""]
  const written = screen.isWrapped ? withoutFeed(text) : text
  const column = columnAfter(screen.column, written, columns)
  return [{ column, isWrapped: false, footerRow: undefined }, written]
}

const drawFooter = ({ lines, row, column }: Footer, isMiddle: boolean): string =>
  `${isMiddle ? "\n" : ""}${lines.join("\n")}${up(lines.length - 1 - row)}${toStart}${right(column)}`

/** The screen after a piece of transcript and with another footer, and what to write for it. */
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
