/** A terminal of a few columns and endless rows that knows what a screen writes: text, line feeds, and some moves. */
import { CliOutput } from "effect/cli"
import { printable } from "../../../src/program/sequences.ts"

export const makeTerminal = (columns: number) => {
  /** Cells; a wide character takes one and leaves the next empty. */
  let rows: Array<Array<string>> = [[]]
  let saved: { readonly rows: Array<Array<string>>; readonly row: number; readonly column: number } | undefined
  let row = 0
  let column = 0

  const put = (text: string) => {
    const width = CliOutput.displayWidth(text)
    // A row that is full wraps only when something follows.
    if (column + width > columns) {
      row += 1
      column = 0
    }
    while (rows.length <= row) rows.push([])
    const cells = rows[row] ?? []
    while (cells.length < column) cells.push(" ")
    cells[column] = text
    if (width === 2) cells[column + 1] = ""
    column += width
  }

  const feed = () => {
    row += 1
    while (rows.length <= row) rows.push([])
  }

  const switchScreen = (isOn: boolean) => {
    if (isOn === (saved !== undefined)) throw new Error("it is there already")
    ;[saved, { rows, row, column }] = isOn
      ? [
          { rows, row, column },
          { rows: [[]], row: 0, column: 0 }
        ]
      : [undefined, saved ?? { rows, row, column }]
  }

  const control = (count: number, final: string) => {
    if (final === "H") row = 0
    if (final === "H") column = 0
    if (final === "A") row = Math.max(0, row - count)
    if (final === "A" || final === "C") column = Math.min(columns - 1, final === "C" ? column + count : column)
    if (final === "K") rows[row]?.splice(column)
    if (final !== "J") return
    rows.splice(row + 1)
    rows[row]?.splice(column)
  }

  const write = (output: string) => {
    for (const [, control_, final, rest] of printable(output).matchAll(/\x1b\[(\??\d*)([A-Za-z])|(.)/gsu)) {
      if (control_ === "?1049") switchScreen(final === "h")
      else if (final !== undefined) control(Number(control_ ?? "") || 1, final)
      else if (rest === "\r") column = 0
      else if (rest === "\n") {
        feed()
        // The terminal makes a line feed a new line.
        column = 0
      } else if (rest !== undefined) put(rest)
    }
  }

  return {
    write,
    lines: () => rows.map((cells) => cells.join("")),
    cursor: () => ({ row, column })
  }
}
