/**
 * A report of the ledger as rows: a name, at a terminal a bar, the cost, runs and tokens. Columns that do not fit are left
 * out, tokens first. Pure. Names of models, projects and sessions are untrusted texts.
 */
import { CliOutput } from "effect/cli"
import { formatCost, plural } from "../../contract/text/amounts.ts"
import type { UsageBy, UsageReport, UsageRow } from "../../contract/Usage.ts"
import { clip, oneLine, padEnd, padStart, widest } from "../format.ts"
import { paint, roomOf, type Surface } from "../style.ts"
import { costText, runsText, tokensText } from "./amounts.ts"

const clamp = (value: number, most: number) => Math.min(most, Math.max(0, value))

/** At least one cell for anything above 0. */
const cellsOf = (part: number, whole: number, width: number) =>
  part <= 0 || whole <= 0 ? 0 : clamp(Math.max(1, Math.round((part / whole) * width)), width)

/** A bar by the share of the largest value. */
export const bar = (value: number, largest: number, width: number): string => {
  const cells = cellsOf(value, largest, width)
  return "█".repeat(cells) + " ".repeat(width - cells)
}

export const shareBar = (spent: number, reserved: number, limit: number, width: number): string => {
  const full = cellsOf(spent, limit, width)
  const held = clamp(cellsOf(reserved, limit, width), width - full)
  return "█".repeat(full) + "▒".repeat(held) + "░".repeat(width - full - held)
}

const gap = "  "
const longestName = 40
const widestBar = 30
const leastBar = 6
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const

const nameOf = (by: UsageBy, key: string | undefined): string => {
  if (key === undefined) return by === "model" ? "(unknown model)" : `(no ${by})`
  const day = by === "day" ? Date.parse(key) : Number.NaN
  return Number.isNaN(day) ? oneLine(key) : `${key} ${weekdays[new Date(day).getUTCDay()]}`
}

interface Column {
  readonly texts: ReadonlyArray<string>
  readonly width: number
}

const column = (texts: ReadonlyArray<string>): Column => ({ texts, width: widest(texts) })

/** The columns that fit beside the name, and the room for a bar. */
const fitting = (name: Column, columns: ReadonlyArray<Column>, room: number, bars: number) => {
  for (let count = columns.length; count > 0; count--) {
    const columnsLeft = columns.slice(0, count)
    const left = room - columnsLeft.reduce((sum, each) => sum + gap.length + each.width, name.width + gap.length)
    if (left >= bars) return { kept: columnsLeft, bar: Math.min(left, widestBar) }
  }
  const [first] = columns
  return { kept: first === undefined ? [] : [first], bar: 0 }
}

const rowLines = (by: UsageBy, rows: ReadonlyArray<UsageRow>, surface: Surface): ReadonlyArray<string> => {
  const room = roomOf(surface)
  const longest = surface.live ? Math.max(10, Math.min(longestName, Math.floor(room / 3))) : longestName
  const name = column(rows.map(({ key }) => clip(nameOf(by, key), longest)))
  const columns = [
    column(rows.map(costText)),
    column(rows.map(runsText)),
    column(rows.map(({ tokens }) => tokensText(tokens)))
  ]
  const fit = fitting(name, columns, room, surface.live ? leastBar : 0)
  const barWidth = surface.live && fit.bar >= leastBar ? fit.bar : 0
  const largest = Math.max(0, ...rows.map(({ micros }) => micros))
  return rows.map((row, index) => {
    const drawn = barWidth === 0 ? [] : [paint(surface, "cyan", bar(row.micros, largest, barWidth))]
    const cells = fit.kept.map(({ texts, width: to }, at) =>
      at === 0 ? padStart(texts[index] ?? "", to) : padEnd(texts[index] ?? "", to)
    )
    return [padEnd(name.texts[index] ?? "", name.width), ...drawn, ...cells].join(gap).trimEnd()
  })
}

/** Joined by `·`, in as many lines as it takes. */
const wrapped = (parts: ReadonlyArray<string>, room: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const part of parts) {
    const last = lines.at(-1)
    const joined = `${last} · ${part}`
    if (last !== undefined && CliOutput.displayWidth(joined) <= room) lines.splice(-1, 1, joined)
    else lines.push(last === undefined ? part : `  ${part}`)
  }
  return lines
}

/** `unpricedModels`: the known ones. */
export const totalLines = (
  { total }: UsageReport,
  unpricedModels: ReadonlyArray<string>,
  surface: Surface
): ReadonlyArray<string> => {
  const names = unpricedModels.slice(0, 3).map((name) => clip(oneLine(name), longestName))
  const unpriced = total.unpriced.runs
  const of = names.length === 0 ? "" : `: ${names.join(", ")}${unpricedModels.length > names.length ? ", …" : ""}`
  const cost = `Total  ${costText(total)}${unpriced === 0 ? "" : ` (${plural(unpriced, "run")} unpriced${of})`}`
  const parts = [
    cost,
    plural(total.runs, "run"),
    tokensText(total.tokens).replace(gap, ", "),
    ...(total.estimated > 0 ? [`~${formatCost(total.estimated / 1e6)} of it estimated`] : [])
  ]
  return wrapped(parts, roomOf(surface))
}

export const reportLines = (report: UsageReport, surface: Surface): ReadonlyArray<string> => {
  const { by, zone, rows } = report
  const title = `Usage by ${by} · ${oneLine(zone)}`
  return [paint(surface, "bold", clip(title, roomOf(surface))), ...rowLines(by, rows, surface)]
}
