/** The change of an edit, as rows with `-` and `+`; pure. Long ones are folded, with a count. */
import type { FileEdit } from "../contract/ToolEvent.ts"
import { plural } from "../contract/text/amounts.ts"
import { commonStart, harmless } from "../contract/text/harmless.ts"
import { paint, roomOf, type Style, type Surface } from "./style.ts"
import { wrap } from "./wrap.ts"

const shownRows = 12
/** Lines around a change. */
const context = 1

interface Line {
  readonly sign: " " | "-" | "+"
  readonly text: string
  readonly number: number | undefined
}

const linesOf = (text: string | undefined): ReadonlyArray<string> => {
  const lines = text === undefined || text === "" ? [] : text.split(/\r?\n/)
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

const changeOf = ({ before, after, line }: FileEdit): ReadonlyArray<Line> => {
  const [old, updated] = [linesOf(before), linesOf(after)]
  const start = commonStart(old, updated)
  const end = commonStart(old.slice(start).reverse(), updated.slice(start).reverse())
  const first = Math.max(0, start - context)
  const of = (sign: Line["sign"], lines: ReadonlyArray<string>, from: number) =>
    lines.map((text, at): Line => ({ sign, text, number: line === undefined ? undefined : line + from + at }))
  return [
    ...of(" ", old.slice(first, start), first),
    ...of("-", old.slice(start, old.length - end), start),
    ...of("+", updated.slice(start, updated.length - end), start),
    ...of(" ", updated.slice(updated.length - end, updated.length - end + context), updated.length - end)
  ]
}

const styles: Readonly<Record<Line["sign"], Style>> = { " ": "dim", "-": "red", "+": "green" }

/** Every row of a long line has the sign, so that no row looks unchanged. */
const rowsOf = (surface: Surface, { sign, text, number }: Line, digits: number, room: number) => {
  const place = digits === 0 ? "" : `${String(number ?? "").padStart(digits)} `
  const start = `${place}${sign} `
  const next = `${" ".repeat(place.length)}${sign} `
  const width = Math.max(8, room - start.length)
  // Bounds the work: a file may be one line.
  const head = text.slice(0, width * shownRows)
  return wrap(harmless(head).replaceAll("\t", "  "), width).map((row, at) =>
    paint(surface, styles[sign], `${at === 0 ? start : next}${row}`.trimEnd())
  )
}

/** `indent`: free cells before the rows, those of their sub-agent included. */
export const diffRows = (surface: Surface, edits: ReadonlyArray<FileEdit>, indent: number): ReadonlyArray<string> => {
  const lines = edits.flatMap(changeOf)
  const first = lines.slice(0, shownRows)
  const digits = Math.max(0, ...first.map(({ number }) => (number === undefined ? 0 : String(number).length)))
  const room = roomOf(surface) - indent - 2
  const visible: Array<string> = []
  let count = 0
  for (const line of first) {
    const rows = rowsOf(surface, line, digits, room)
    if (visible.length + rows.length > shownRows) {
      visible.push(...rows.slice(0, shownRows - visible.length))
      break
    }
    visible.push(...rows)
    count += 1
  }
  const more = lines.length - count
  const rows = more === 0 ? visible : [...visible, paint(surface, "dim", `… ${plural(more, "more line")}`)]
  return rows.map((row) => `  ${row}`)
}
