/** Progress → its message; pure, at most 3,500 characters of Markdown. */

import { plural } from "../../contract/text/amounts.ts"
import { code } from "../../conversations/export/markdownText.ts"
import type { Button, ReplyPayload } from "../messages/ReplyPayload.ts"
import { newest, type Progress } from "./state.ts"
import { agentName, endLine, formatTime, interrupted, rowLines, textLines, waitLines } from "./words.ts"

/** `brief`: only start and end. */
export type ProgressMode = "edit" | "brief" | "off"

/** Facts beside the events of the run. */
export interface ProgressFacts {
  /** Messages that wait for the end of the run. Default: 0. */
  readonly queued?: number
  /** Button below the message during the run. Default: none. */
  readonly stop?: Button
  /** Resumes the session elsewhere; in the final message. Default: none. */
  readonly resumeLine?: string | undefined
  /** Time zone of the person. Default: that of the machine. */
  readonly zone?: string
}

export interface ProgressView {
  readonly payload: ReplyPayload
  /** Views with equal keys need no edit. The elapsed time counts only in steps of `tickMs`. */
  readonly key: string
}

const mostCharacters = 3_500
const shownRows = 5

/** Longest titles, in characters; the shorter ones if the message would be too long. */
const titleLengths = [300, 120, 40]

/** Interval of edits that only update the elapsed time. */
export const tickMs = 15_000

const rowsOf = (progress: Progress, longest: number) => {
  const lines = newest(progress.rows, shownRows).flatMap((row) => rowLines(row, progress, longest))
  const rest = progress.steps - lines.length
  return rest > 0 ? [`… ${rest} more`, ...lines] : lines
}

/** Everything below the first line, shortened until it fits. */
const bodyOf = (progress: Progress, facts: ProgressFacts, now: number, room: number): string => {
  const waits = waitLines(progress, now, facts.zone)
  const queued = (facts.queued ?? 0) > 0 ? [`queued · ${facts.queued}`] : []
  const answer = textLines(progress.text)
  const attempts = [
    ...titleLengths.map((longest) => [longest, answer] as const),
    [titleLengths.at(-1) ?? 0, []] as const
  ]
  const bodies = attempts.map(([longest, text]) =>
    [...rowsOf(progress, longest), ...waits, ...queued, ...(text.length === 0 ? [] : ["", ...text])].join("\n")
  )
  return bodies.find((body) => body.length <= room) ?? waits.join("\n")
}

const running = (progress: Progress, facts: ProgressFacts, now: number): ProgressView => {
  const elapsed = Math.max(0, now - progress.startedAt)
  const steps = progress.steps === 0 ? "" : ` · ${plural(progress.steps, "step")}`
  const head = `⏳ ${agentName(progress)} · ${formatTime(elapsed)}${steps}`
  const body = bodyOf(progress, facts, now, mostCharacters - head.length - 1)
  const buttons = facts.stop === undefined ? {} : { buttons: [[facts.stop]] }
  const payload = { text: body === "" ? head : `${head}\n${body}`, silent: true, ...buttons }
  return { payload, key: JSON.stringify([Math.floor(elapsed / tickMs), agentName(progress), progress.steps, body]) }
}

const brief = (progress: Progress, { stop }: ProgressFacts): ProgressView => {
  const text = `⏳ ${agentName(progress)} is at work`
  // A constant key: a change of the model alone does not cause an edit.
  return { payload: { text, silent: true, ...(stop === undefined ? {} : { buttons: [[stop]] }) }, key: "at work" }
}

const withResumeLine = (text: string, line: string | undefined): ProgressView => {
  const whole = line === undefined ? text : `${text}\n${code(line)}`
  const content = whole.length > mostCharacters ? text : whole
  return { payload: { text: content, silent: true }, key: content }
}

export const renderProgress = (
  progress: Progress,
  facts: ProgressFacts,
  now: number,
  mode: Exclude<ProgressMode, "off">
): ProgressView => {
  if (progress.end !== undefined) return withResumeLine(endLine(progress.cli, progress.end), facts.resumeLine)
  return mode === "brief" ? brief(progress, facts) : running(progress, facts, now)
}

/** The message of a run whose host ended before it did. */
export const renderInterrupted = (
  cli: string,
  facts: Pick<ProgressFacts, "resumeLine"> & { readonly buttons?: ReadonlyArray<ReadonlyArray<Button>> }
): ReplyPayload => {
  const { payload } = withResumeLine(`${interrupted} · ${code(cli)}`, facts.resumeLine)
  return { ...payload, ...(facts.buttons === undefined ? {} : { buttons: facts.buttons }) }
}
