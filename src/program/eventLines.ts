/** The lines of a transcript for the session, notices, errors and the end; pure. */
import { CliOutput } from "effect/cli"
import type { ErrorEvent, NoticeEvent, NoticeKind, SessionEvent } from "../contract/AgentEvent.ts"
import type { AgentRunResult, AgentUsage, RunOutcome } from "../contract/AgentRunResult.ts"
import { prettyJson } from "../contract/eventJson.ts"
import { formatCost, formatCount, formatDuration, formatElapsed, plural } from "../contract/text/amounts.ts"
import { harmless } from "../contract/text/harmless.ts"
import { inFlags } from "./flagNames.ts"
import { clip, localTime, oneLine } from "./format.ts"
import { marks, paint, roomOf, type Style, type Surface } from "./style.ts"
import { wrap } from "./wrap.ts"

/** A line for a terminal is wrapped by words, with its further rows below its text; elsewhere it stays whole. */
const wrapped = (surface: Surface, line: string): ReadonlyArray<string> =>
  surface.live ? wrap(line, roomOf(surface) - 2).map((row, at) => (at === 0 ? row : `  ${row}`).trimEnd()) : [line]

const factRows = (surface: Surface, head: string, facts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rows: Array<Array<string>> = [[head]]
  for (const fact of facts) {
    const row = [...(rows.at(-1) ?? []), fact]
    const fits =
      !surface.live || CliOutput.displayWidth(row.join(" · ")) <= roomOf(surface) - (rows.length === 1 ? 0 : 2)
    if (fits) rows[rows.length - 1] = row
    else rows.push([fact])
  }
  return rows.map((row) => row.join(" · "))
}

/** The id has its own row if both do not fit, so that it can be copied. */
export const sessionRows = (surface: Surface, agent: string, event: SessionEvent): ReadonlyArray<string> => {
  const version = event.cliVersion === undefined || !/^\d/.test(event.cliVersion) ? "" : ` ${oneLine(event.cliVersion)}`
  const name = agent + version
  const model = event.model === undefined ? "" : ` · ${oneLine(event.model)}`
  const id = `session ${oneLine(event.sessionId)}`
  const head = `${paint(surface, "cyan", marks.agent)} ${paint(surface, "bold", name)}`
  return CliOutput.displayWidth(`${marks.agent} ${name}${model} · ${id}`) <= roomOf(surface)
    ? [head + paint(surface, "dim", `${model} · ${id}`)]
    : [head + paint(surface, "dim", model), `  ${paint(surface, "dim", id)}`]
}

const noticeMarks: Partial<Record<NoticeKind, string>> = {
  retry: marks.retry,
  permission_denied: marks.denied,
  text_voided: marks.voided,
  mcp_failed: marks.warning,
  rate_limit: marks.warning,
  stalled: marks.warning,
  result_missing: marks.warning,
  session_reset: marks.warning,
  budget: marks.warning,
  warning: marks.warning
}

/** Undefined for progress, which the status shows, and for rate limits that allow to continue. */
export const noticeLine = (surface: Surface, event: NoticeEvent): string | undefined => {
  if (event.kind === "progress") return undefined
  if (event.kind === "rate_limit" && event.data?.["status"] === "allowed") return undefined
  const characters = event.data?.["characters"]
  const message =
    event.kind === "text_voided" && typeof characters === "number"
      ? `the agent took back its last ${plural(characters, "character")}`
      : clip(oneLine(event.message), 400)
  return paint(surface, "dim", `${noticeMarks[event.kind] ?? marks.notice} ${message}`)
}

const inLocalTime = (message: string): string =>
  message.replace(/(?<=; free again at )\d{4}-\d\d-\d\dT[\d:.]+Z$/, (moment) => localTime(Date.parse(moment)))

const endOf = ({ retryAt }: ErrorEvent) => (retryAt === undefined ? "" : `, at ${localTime(Date.parse(retryAt))}`)

export const errorLines = (surface: Surface, event: ErrorEvent): ReadonlyArray<string> => {
  const text = event.code === "budget_exceeded" ? inLocalTime(event.message) : event.message
  const [first = "", ...others] = harmless(text).trimEnd().split("\n")
  const facts = [
    event.category.replaceAll("_", " "),
    ...(event.code === event.category ? [] : [oneLine(event.code)]),
    ...(event.retryAfterMs === undefined
      ? []
      : [`retry possible in ${formatElapsed(event.retryAfterMs)}${endOf(event)}`]),
    ...(event.retryable && event.retryAfterMs === undefined ? ["a retry may succeed"] : [])
  ]
  return [
    ...wrapped(surface, `${marks.failed} ${first}`).map((row) => paint(surface, "red", row)),
    ...others.flatMap((line) =>
      wrapped(surface, line === "" ? "" : `  ${line}`).map((row) => paint(surface, "red", row))
    ),
    ...helpLines(event).flatMap((line) => wrapped(surface, `  ${line}`)),
    paint(surface, "dim", `  ${facts.join(" · ")}`)
  ]
}

const helpLines = ({ message, help }: ErrorEvent): ReadonlyArray<string> =>
  help === undefined || message.includes(help) ? [] : [oneLine(inFlags(help))]

const shownStderrLines = 20
const maxStderrLineWidth = 2_000 // cells

const stderrLines = (surface: Surface, result: AgentRunResult): ReadonlyArray<string> => {
  const lines = harmless(result.stderrTail ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "")
  if (result.outcome === "completed" || lines.length === 0) return []
  const more = lines.length - shownStderrLines
  const head = more > 0 ? `  stderr, after ${plural(more, "more line")}:` : "  stderr:"
  // Not cut at the edge of the screen: the terminal wraps it.
  const visible = lines
    .slice(-shownStderrLines)
    .map((line) => `  ${clip(line.replaceAll("\t", "  "), maxStderrLineWidth)}`)
  return [head, ...visible].map((line) => paint(surface, "dim", line))
}

const structuredLines = (result: AgentRunResult): ReadonlyArray<string> =>
  result.structuredOutput === undefined ? [] : harmless(prettyJson(result.structuredOutput)).split("\n")

const endings: {
  readonly [Outcome in RunOutcome]: { readonly mark: string; readonly style: Style; readonly word: string }
} = {
  completed: { mark: marks.ok, style: "green", word: "completed" },
  failed: { mark: marks.failed, style: "red", word: "failed" },
  aborted: { mark: marks.stopped, style: "yellow", word: "aborted" },
  timed_out: { mark: marks.stopped, style: "yellow", word: "timed out" }
}

export const usageText = (usage: AgentUsage, costUsd?: number): string =>
  [tokensText(usage), ...(costUsd === undefined ? [] : [formatCost(costUsd)])].join(" · ")

const tokensText = (usage: AgentUsage): string => {
  const cached = (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0)
  const cache = cached === 0 ? "" : ` + ${formatCount(cached)} cached`
  const count = (tokens: number | undefined) => (tokens === undefined ? "?" : formatCount(tokens))
  return `${count(usage.inputTokens)} in${cache}, ${count(usage.outputTokens)} out`
}

const failureWord = (result: AgentRunResult): ReadonlyArray<string> => {
  if (result.outcome !== "failed") return []
  if (result.reason === "agent_failed") return result.errorSubtype === undefined ? [] : [oneLine(result.errorSubtype)]
  return [result.reason.replaceAll("_", " ")]
}

export const doneLines = (
  surface: Surface,
  result: AgentRunResult,
  unknownLines: number,
  subject = ""
): ReadonlyArray<string> => {
  const { mark, style, word } = endings[result.outcome]
  const facts = [
    ...failureWord(result),
    ...(result.numTurns === undefined ? [] : [plural(result.numTurns, "turn")]),
    ...(result.usage === undefined ? [] : [tokensText(result.usage)]),
    ...(result.totalCostUsd === undefined ? [] : [formatCost(result.totalCostUsd)]),
    ...(result.durationMs > 0 ? [formatDuration(result.durationMs)] : []),
    ...(unknownLines === 0 ? [] : [plural(unknownLines, "unknown line")])
  ]
  const head = `${mark} ${subject}${word}`
  const [first = "", ...others] = factRows(surface, head, facts)
  return [
    ...stderrLines(surface, result),
    ...structuredLines(result),
    `${paint(surface, style, head)}${paint(surface, "dim", first.slice(head.length))}`,
    ...others.map((row) => `  ${paint(surface, "dim", row)}`)
  ]
}
