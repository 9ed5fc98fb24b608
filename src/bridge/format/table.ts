/** A Markdown table → lines of equal columns, for a block of code: chat services have no tables. */

/** In characters: a wider cell pushes the rest of its row to the right. */
const maxWidth = 32
/** Padding is left out where it makes the table longer than so many times its source. */
const maxGrowth = 4

export type Alignment = "center" | "left" | "right" | null

/** A vertical bar is part of a cell where it is escaped. Rows may have more cells than the header: none is dropped. */
export const cellsOf = (row: string): ReadonlyArray<string> => {
  const inner = row.trim().replace(/^\|/, "")
  const cells: Array<string> = []
  let from = 0
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] === "\\") at += 1
    else if (inner[at] === "|") {
      cells.push(inner.slice(from, at))
      from = at + 1
    }
  }
  if (from < inner.length) cells.push(inner.slice(from))
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"))
}

/** Pictures and the letters of East Asia take two columns, what is put on top of a letter none. */
const wide = /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/gu
const widthless = /\p{M}|\p{Cf}/gu
const isAscii = /^[\x20-\x7e]*$/

const widthOf = (text: string): number => {
  if (isAscii.test(text)) return text.length
  const bare = text.replace(widthless, "")
  return [...bare].length + (bare.match(wide)?.length ?? 0)
}

const padded = (cell: string, width: number, alignment: Alignment | undefined): string => {
  const missing = Math.max(0, width - widthOf(cell))
  if (alignment === "right") return " ".repeat(missing) + cell
  if (alignment !== "center") return cell + " ".repeat(missing)
  const before = Math.floor(missing / 2)
  return " ".repeat(before) + cell + " ".repeat(missing - before)
}

const widthsOf = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> => {
  const widths: Array<number> = []
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      widths[at] = Math.max(widths[at] ?? 0, Math.min(maxWidth, widthOf(cell)))
    }
  }
  return widths
}

/** The first row is the header. `sourceLength`: of the table as it was written. */
export const tableText = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  alignments: ReadonlyArray<Alignment>,
  sourceLength: number
): string => {
  const lines = (widths: ReadonlyArray<number>) => {
    const [header = "", ...body] = rows.map((row) =>
      row
        .map((cell, at) => padded(cell, widths[at] ?? 0, alignments[at]))
        .join(" | ")
        .trimEnd()
    )
    const rule = widths.map((width) => "-".repeat(Math.max(1, width))).join("-+-")
    return [header, rule, ...body].join("\n")
  }
  const aligned = lines(widthsOf(rows))
  return aligned.length <= maxGrowth * sourceLength ? aligned : lines([])
}
