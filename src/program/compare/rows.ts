/** The answers of several agents: each whole, side by side if there is room, and a table of facts; pure. */
import { CliOutput } from "effect/cli"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { Changes } from "../../contract/SeveralAgents.ts"
import { formatCost, formatCount, formatDuration, plural } from "../../contract/text/amounts.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { clip, oneLine, padEnd, widest } from "../format.ts"
import { marks, paint, roomOf, type Style, type Surface } from "../style.ts"
import { wrap } from "../wrap.ts"
import { patchLines } from "./tally.ts"

export interface Compared {
  readonly agent: string
  readonly model: string | undefined
  readonly result: AgentRunResult
  readonly tools: number
  readonly text: string
  readonly changes?: Changes
}

const outcomeOf = ({ result }: Compared): { readonly text: string; readonly style: Style } => {
  const { outcome, reason } = result
  if (outcome === "completed") return { text: `${marks.ok} completed`, style: "green" }
  const word = outcome === "failed" && reason !== "agent_failed" ? reason : outcome
  return { text: `${outcome === "failed" ? marks.failed : marks.stopped} ${word.replaceAll("_", " ")}`, style: "red" }
}

const tokensOf = ({ result: { usage } }: Compared): string => {
  if (usage === undefined) return ""
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const input = inputTokens === undefined ? "?" : formatCount(inputTokens + cacheReadTokens + cacheWriteTokens)
  return `${input} in ${outputTokens === undefined ? "?" : formatCount(outputTokens)} out`
}

const filesOf = ({ changes }: Compared): string => {
  if (changes === undefined) return ""
  if (changes.paths.length === 0 || changes.patch === undefined) return String(changes.paths.length)
  const { added, removed } = patchLines(changes.patch)
  return `${changes.paths.length}  +${added} -${removed}`
}

const costOf = ({ result: { totalCostUsd } }: Compared) => (totalCostUsd === undefined ? "" : formatCost(totalCostUsd))
const titleOf = ({ agent, model }: Compared) => [agent, ...(model === undefined ? [] : [oneLine(model)])].join(" · ")

export const block = (compared: Compared, place: number, surface: Surface): ReadonlyArray<string> => {
  const title = `${place} ${titleOf(compared)}`
  const rule = "─".repeat(Math.max(1, Math.min(roomOf(surface), 78) - CliOutput.displayWidth(title) - 3))
  const { text, style } = outcomeOf(compared)
  const facts = [formatDuration(compared.result.durationMs), costOf(compared), plural(compared.tools, "tool")]
  const end = paint(surface, "dim", ` · ${facts.filter((fact) => fact !== "").join(" · ")}`)
  return [
    `${paint(surface, "dim", "─")} ${paint(surface, "bold", title)} ${paint(surface, "dim", rule)}`,
    ...harmless(compared.text).trim().split("\n"),
    paint(surface, style, text) + end
  ]
}

const leastColumns = 100

export const isBesideEachOther = (agents: number, { live, columns }: Surface): boolean =>
  live && agents === 2 && columns >= leastColumns

export const beside = ([left, right]: readonly [Compared, Compared], surface: Surface): ReadonlyArray<string> => {
  const width = Math.floor((surface.columns - 4) / 2)
  const rowsOf = (compared: Compared) => {
    const plain: Surface = { live: false, columns: width }
    const [, ...others] = block(compared, 0, plain)
    return [titleOf(compared), ...others].flatMap((line) => wrap(line.replaceAll("\t", "  "), width))
  }
  const [first, second] = [rowsOf(left), rowsOf(right)]
  return Array.from({ length: Math.max(first.length, second.length) }, (_, at) =>
    `${padEnd(first[at] ?? "", width)} ${paint(surface, "dim", "│")} ${second[at] ?? ""}`.trimEnd()
  )
}

/** A row for each agent, or a few lines if they do not fit. */
export const table = (all: ReadonlyArray<Compared>, surface: Surface): ReadonlyArray<string> => {
  const columns = [
    { head: "", of: ({ agent }: Compared) => agent },
    { head: "time", of: ({ result }: Compared) => formatDuration(result.durationMs) },
    { head: "turns", of: ({ result }: Compared) => (result.numTurns === undefined ? "" : String(result.numTurns)) },
    { head: "tools", of: ({ tools }: Compared) => String(tools) },
    { head: "tokens", of: tokensOf },
    { head: "cost", of: costOf },
    { head: "files", of: filesOf }
  ].filter(({ head, of }) => head !== "files" || all.some((each) => of(each) !== ""))
  const widths = columns.map(({ head, of }) => widest([head, ...all.map(of)]))
  const room = roomOf(surface)
  const rowOf = (cells: ReadonlyArray<string>) => cells.map((cell, at) => padEnd(cell, widths[at] ?? 0)).join("  ")
  const isNarrow = widths.reduce((sum, width) => sum + width + 2, 18) > room
  if (isNarrow) {
    return all.flatMap((each) => {
      const facts = columns.slice(1).flatMap(({ head, of }) => (of(each) === "" ? [] : [`${of(each)} ${head}`]))
      const { text, style } = outcomeOf(each)
      const named = `${paint(surface, "bold", each.agent)}  ${paint(surface, style, text)}`
      return [named, ...facts.map((fact) => `  ${clip(fact, room - 2)}`)]
    })
  }
  return [
    paint(surface, "dim", rowOf(columns.map(({ head }) => head)).trimEnd()),
    ...all.map((each) => {
      const { text, style } = outcomeOf(each)
      return `${rowOf(columns.map(({ of }) => of(each)))}  ${paint(surface, style, text)}`
    })
  ]
}
