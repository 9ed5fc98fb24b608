/**
 * Markdown → rows of a terminal; pure. Prose is wrapped by words; code has no frame and is not wrapped, so that it can be
 * copied; a table that is wider than the screen is printed as `Header: cell`.
 */
import { CliOutput } from "effect/cli"
import type { Block, Inline, ListItem } from "../../bridge/format/block.ts"
import { blocksOf } from "../../bridge/format/blocks.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { hasColor, paint, roomOf, type Style, type Surface } from "../style.ts"
import { wrap } from "../wrap.ts"

interface Run {
  readonly text: string
  readonly styles: ReadonlyArray<Style>
}

const styleOf = { b: "bold", i: "italic", s: "struck" } as const

/** Without colour, code keeps its marks. The address of a link follows a different text, so that it can be read and clicked. */
const runsOf = (
  parts: ReadonlyArray<Inline>,
  hasColor: boolean,
  styles: ReadonlyArray<Style> = []
): ReadonlyArray<Run> =>
  parts.flatMap((part): ReadonlyArray<Run> => {
    if (typeof part === "string") return [{ text: part, styles }]
    if (part.t === "br") return [{ text: "\n", styles }]
    if (part.t === "code") {
      const text = part.text.replaceAll("\n", " ")
      return [hasColor ? { text, styles: [...styles, "cyan"] } : { text: `\`${text}\``, styles }]
    }
    if (part.t !== "a") return runsOf(part.c, hasColor, [...styles, styleOf[part.t]])
    const label = runsOf(part.c, hasColor, styles)
    const content = label.map(({ text }) => text).join("")
    const isSaid = content === part.href || `mailto:${content}` === part.href
    return isSaid ? label : [...label, { text: ` (${part.href})`, styles: [...styles, "dim"] }]
  })

const painted = (surface: Surface, { text, styles }: Run): string =>
  styles.reduce((inner, style) => paint(surface, style, inner), text)

const linesOf = (runs: ReadonlyArray<Run>): ReadonlyArray<ReadonlyArray<Run>> => {
  const lines: Array<Array<Run>> = [[]]
  for (const { text, styles } of runs) {
    for (const [at, part] of harmless(text).split("\n").entries()) {
      if (at > 0) lines.push([])
      if (part !== "") lines.at(-1)?.push({ text: part.replaceAll("\t", "  "), styles })
    }
  }
  return lines
}

const cut = (line: ReadonlyArray<Run>, from: number, to: number): ReadonlyArray<Run> => {
  let at = 0
  return line.flatMap(({ text, styles }) => {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at))
    at += text.length
    return part === "" ? [] : [{ text: part, styles }]
  })
}

/** Rows of at most `width` cells; each row is styled for itself. */
const styledRows = (surface: Surface, runs: ReadonlyArray<Run>, width: number): ReadonlyArray<string> =>
  linesOf(runs).flatMap((line) => {
    const text = line.map((run) => run.text).join("")
    let from = 0
    return wrap(text, Math.max(2, width)).map((row) => {
      const to = from + row.trimEnd().length
      const parts = cut(line, from, to)
      from += row.length
      return parts.map((run) => painted(surface, run)).join("")
    })
  })

/** In cells: longer rows of prose are hard to read. */
const widestProse = 100
/** Narrowest prose inside lists and quotations. */
const narrowestProse = 16

const plain = (parts: ReadonlyArray<Inline>, surface: Surface): string =>
  runsOf(parts, hasColor(surface))
    .map(({ text }) => text)
    .join("")
    .replace(/\s+/g, " ")
    .trim()

const hanging = (rows: ReadonlyArray<string>, first: string, next: string): ReadonlyArray<string> =>
  rows.map((row, at) => (row === "" ? row : (at === 0 ? first : next) + row))

const padded = (text: string, width: number, align: "left" | "center" | "right" | null | undefined): string => {
  const free = Math.max(0, width - CliOutput.displayWidth(text))
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0
  return " ".repeat(before) + text + " ".repeat(free - before)
}

const tableRows = (
  { head, rows, align }: Extract<Block, { t: "table" }>,
  surface: Surface,
  width: number
): ReadonlyArray<string> => {
  const [header = [], ...body] = [head, ...rows].map((row) => row.map((cell) => harmless(plain(cell, surface))))
  const count = Math.max(header.length, ...body.map((row) => row.length))
  const columns = Array.from({ length: count }, (_, at) =>
    Math.max(1, ...[header, ...body].map((row) => CliOutput.displayWidth(row[at] ?? "")))
  )
  if (columns.reduce((sum, column) => sum + column + 2, -2) > width) {
    return body.flatMap((row, at) => {
      const facts = row.map((cell, column) => {
        const name = header[column] ?? ""
        return name === "" ? cell : `${name}: ${cell}`
      })
      const reported = facts.flatMap((fact) =>
        hanging(styledRows(surface, [{ text: fact, styles: [] }], width - 2), "", "  ")
      )
      return at === 0 ? reported : ["", ...reported]
    })
  }
  const line = (row: ReadonlyArray<string>) =>
    columns
      .map((column, at) => padded(row[at] ?? "", column, align[at]))
      .join("  ")
      .trimEnd()
  const rule = columns.map((column) => "-".repeat(column)).join("  ")
  return [paint(surface, "bold", line(header)), paint(surface, "dim", rule), ...body.map(line)]
}

const itemRows = (list: Extract<Block, { t: "list" }>, item: ListItem, at: number, surface: Surface, width: number) => {
  const box = item.task === undefined ? "" : item.task ? "[x] " : "[ ] "
  const marker = `${list.ordered ? `${(list.start ?? 1) + at}.` : "•"} ${box}`
  const indent = " ".repeat(CliOutput.displayWidth(marker))
  const rows = blockRows(item.c, surface, width - indent.length, 0)
  return rows.length === 0 ? [marker.trimEnd()] : hanging(rows, marker, indent)
}

const rowsOf = (block: Block, surface: Surface, width: number): ReadonlyArray<string> => {
  const prose = Math.max(narrowestProse, Math.min(width, widestProse))
  switch (block.t) {
    case "p":
      return styledRows(surface, runsOf(block.c, hasColor(surface)), prose)
    case "h":
      return styledRows(surface, runsOf(block.c, hasColor(surface), ["bold"]), prose)
    case "code":
      return harmless(block.text).split("\n")
    case "list":
      return block.items.flatMap((item, at) => itemRows(block, item, at, surface, width))
    case "quote":
      return blockRows(block.c, surface, width - 2).map((row) => `${paint(surface, "dim", "│")} ${row}`.trimEnd())
    case "table":
      return tableRows(block, surface, width)
    case "hr":
      return [paint(surface, "dim", "───")]
  }
}

const blockRows = (blocks: ReadonlyArray<Block>, surface: Surface, width: number, gap = 1): ReadonlyArray<string> =>
  blocks.flatMap((block, at) => {
    const rows = rowsOf(block, surface, width)
    const isApart = at > 0 && (gap > 0 || block.t === "code" || block.t === "table")
    return isApart ? ["", ...rows] : rows
  })

export const markdownRows = (markdown: string, surface: Surface): ReadonlyArray<string> =>
  blockRows(blocksOf(markdown), surface, roomOf(surface))
