/** A text that is being typed, wrapped into rows around its cursor; pure. */
import { CliOutput } from "effect/cli"
import { harmless } from "../../contract/text/harmless.ts"
import { paint, type Surface } from "../style.ts"
import type { Editor } from "./editor.ts"
import type { Footer } from "./screen.ts"

const shownRows = 8

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

interface Cursor {
  readonly row: number
  readonly column: number
}

/** Wraps a text into rows of `width` cells, and locates its cursor. */
const layOut = ({ text, cursor }: Editor, width: number) => {
  const rows: Array<string> = [""]
  let cells = 0
  let at: Cursor = { row: 0, column: 0 }
  for (const { segment, index } of graphemes.segment(text)) {
    const shown = segment === "\n" ? "" : harmless(segment)
    const segmentCells = CliOutput.displayWidth(shown)
    if (cells + segmentCells > width) {
      rows.push("")
      cells = 0
    }
    if (index === cursor) at = { row: rows.length - 1, column: cells }
    if (segment === "\n") {
      rows.push("")
      cells = 0
    } else {
      rows.push((rows.pop() ?? "") + shown)
      cells += segmentCells
    }
  }
  return { rows, cursor: cursor === text.length ? { row: rows.length - 1, column: cells } : at }
}

/** The rows around the cursor, after a label. */
export const editorFooter = (editor: Editor, label: string, surface: Surface, most = shownRows): Footer => {
  const indent = CliOutput.displayWidth(label) + 1
  const { rows, cursor } = layOut(editor, Math.max(4, surface.columns - indent - 1))
  const from = Math.max(0, Math.min(cursor.row - most + 1, rows.length - most))
  const shown = rows.slice(from, from + most)
  const mark = paint(surface, "cyan", label)
  const lines = shown.map((row, index) => (index === 0 ? `${mark} ${row}` : `${" ".repeat(indent)}${row}`))
  return { lines, row: cursor.row - from, column: indent + cursor.column }
}

/** Another footer with rows above it. */
export const below = (above: ReadonlyArray<string>, { lines, row, column }: Footer): Footer => ({
  lines: [...above, ...lines],
  row: row + above.length,
  column
})
