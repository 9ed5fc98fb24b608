/** A text with styles over parts of it, and its rows: wrapped by words, each row styled for itself; pure. */
import type { Inline } from "../../bridge/format/block.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { paint, type Style, type Surface } from "../style.ts"
import { wrap } from "../wrap.ts"

export interface Run {
  readonly text: string
  readonly styles: ReadonlyArray<Style>
}

const styleOf = { b: "bold", i: "italic", s: "struck" } as const

/** Where there is no colour, code keeps its marks. The address of a link is told behind other words: it can be pressed, and read. */
export const runsOf = (
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
    const said = label.map(({ text }) => text).join("")
    const isSaid = said === part.href || `mailto:${said}` === part.href
    return isSaid ? label : [...label, { text: ` (${part.href})`, styles: [...styles, "dim"] }]
  })

const painted = (surface: Surface, { text, styles }: Run): string =>
  styles.reduce((inner, style) => paint(surface, style, inner), text)

/** The runs of each line. */
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

/** A part of a line, by characters. */
const cut = (line: ReadonlyArray<Run>, from: number, to: number): ReadonlyArray<Run> => {
  let at = 0
  return line.flatMap(({ text, styles }) => {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at))
    at += text.length
    return part === "" ? [] : [{ text: part, styles }]
  })
}

/** Rows of at most `width` cells; no style goes on from one to the next. */
export const styledRows = (surface: Surface, runs: ReadonlyArray<Run>, width: number): ReadonlyArray<string> =>
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
