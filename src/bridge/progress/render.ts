/** Progress → the message that tells it; pure, at most 3,500 characters of Markdown. */

import { plural } from "../../contract/text/amounts.ts"
import { code } from "../../conversations/export/markdownText.ts"
import type { Button, ReplyPayload } from "../messages/ReplyPayload.ts"
import { newest } from "./rows.ts"
import type { Progress } from "./state.ts"
import { agentName, endLine, formatTime, interrupted, rowLines, textLines, waitLines } from "./words.ts"

/** `brief`: start and end alone. */
export type ProgressMode = "edit" | "brief" | "off"

/** What is no event of the run. */
export interface ProgressFacts {
  /** Messages that wait for the end of the run. Default: 0. */
  readonly queued?: number
  /** Below the message while the run is under way. Default: none. */
  readonly stop?: Button
  /** With which the session goes on elsewhere; in the last message. Default: none. */
  readonly resumeLine?: string | undefined
  /** The zone of the person's clock. Default: that of the machine. */
  readonly zone?: string
}

export interface ProgressView {
  readonly payload: ReplyPayload
  /** The same: an edit would show nothing new. The elapsed time counts in steps alone. */
  readonly key: string
}

const mostCharacters = 3_500
const shownRows = 5

/** Of a title, in characters; the shorter ones where the message would be too long. */
const titleLengths = [300, 120, 40]

/** So often the elapsed time alone is worth an edit. */
export const tickMs = 15_000

const rowsOf = (progress: Progress, longest: number) => {
  const shown = newest(progress.rows, shownRows).flatMap((row) => rowLines(row, progress, longest))
  const rest = progress.steps - shown.length
  return rest > 0 ? [`… ${rest} more`, ...shown] : shown
}

/** All of it but the first line, as much as fits in. */
const bodyOf = (progress: Progress, facts: ProgressFacts, now: number, room: number): string => {
  const waits = waitLines(progress, now, facts.zone)
  const queued = (facts.queued ?? 0) > 0 ? [`queued · ${facts.queued}`] : []
  const said = textLines(progress.text)
  const attempts = [...titleLengths.map((longest) => [longest, said] as const), [titleLengths.at(-1) ?? 0, []] as const]
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

const atWork = (progress: Progress, { stop }: ProgressFacts): ProgressView => {
  const text = `⏳ ${agentName(progress)} is at work`
  // News of its model alone is no reason for an edit.
  return { payload: { text, silent: true, ...(stop === undefined ? {} : { buttons: [[stop]] }) }, key: "at work" }
}

const withResumeLine = (text: string, line: string | undefined): ProgressView => {
  const whole = line === undefined ? text : `${text}\n${code(line)}`
  const shown = whole.length > mostCharacters ? text : whole
  return { payload: { text: shown, silent: true }, key: shown }
}

export const renderProgress = (
  progress: Progress,
  facts: ProgressFacts,
  now: number,
  mode: Exclude<ProgressMode, "off">
): ProgressView => {
  if (progress.end !== undefined) return withResumeLine(endLine(progress.cli, progress.end), facts.resumeLine)
  return mode === "brief" ? atWork(progress, facts) : running(progress, facts, now)
}

/** For the message of a run whose host ended before it did. */
export const renderInterrupted = (
  cli: string,
  facts: Pick<ProgressFacts, "resumeLine"> & { readonly buttons?: ReadonlyArray<ReadonlyArray<Button>> }
): ReplyPayload => {
  const { payload } = withResumeLine(`${interrupted} · ${code(cli)}`, facts.resumeLine)
  return { ...payload, ...(facts.buttons === undefined ? {} : { buttons: facts.buttons }) }
}
