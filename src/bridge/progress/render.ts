/** Progress → its message; pure, at most 3,500 characters of Markdown, in which untrusted text is escaped. */

import type { ToolKind } from "../../contract/ToolEvent.ts"
import { formatCost, plural } from "../../contract/text/amounts.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import { code, literal, quote } from "../../conversations/export/markdownText.ts"
import type { Action } from "../actions/AgentAction.ts"
import { labelOf } from "../actions/tools.ts"
import type { Button, ReplyPayload } from "../messages/ReplyPayload.ts"
import { texts } from "../texts.ts"
import { newest, type Progress, type ProgressEnd, type Row } from "./state.ts"

/** `draft`: in drafts of the channel, where it has them, and otherwise the default. `brief`: only start and end. */
export type ProgressMode = "edit" | "draft" | "brief" | "off"

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
  const lengths = titleLengths.map((longest) => [longest, answer] as const)
  const attempts = [...lengths, [titleLengths.at(-1) ?? 0, []] as const]
  const bodies = attempts.map(([longest, text]) =>
    [...rowsOf(progress, longest), ...waits, ...queued, ...(text.length === 0 ? [] : ["", ...text])].join("\n")
  )
  return bodies.find((body) => body.length <= room) ?? waits.join("\n")
}

const stopButton = ({ isStopping }: Progress, { stop }: ProgressFacts) =>
  stop === undefined || isStopping ? {} : { buttons: [[stop]] }

const running = (progress: Progress, facts: ProgressFacts, now: number): ProgressView => {
  const elapsed = Math.max(0, now - progress.startedAt)
  const steps = progress.steps === 0 ? "" : ` · ${plural(progress.steps, "step")}`
  const { isStopping } = progress
  const head = `⏳ ${isStopping ? `${texts.stopping} · ` : ""}${agentName(progress)} · ${formatTime(elapsed)}${steps}`
  const body = bodyOf(progress, facts, now, mostCharacters - head.length - 1)
  const payload = { text: body === "" ? head : `${head}\n${body}`, silent: true, ...stopButton(progress, facts) }
  const time = Math.floor(elapsed / tickMs)
  return { payload, key: JSON.stringify([time, isStopping, agentName(progress), progress.steps, body]) }
}

const brief = (progress: Progress, facts: ProgressFacts): ProgressView => {
  const { isStopping } = progress
  const text = isStopping ? `⏳ ${texts.stopping} · ${agentName(progress)}` : `⏳ ${agentName(progress)} is at work`
  // A constant key: a change of the model alone does not cause an edit.
  return { payload: { text, silent: true, ...stopButton(progress, facts) }, key: isStopping ? "stopping" : "at work" }
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
  mode: "edit" | "brief"
): ProgressView => {
  if (progress.end !== undefined) return withResumeLine(endLine(progress.cli, progress.end), facts.resumeLine)
  return mode === "brief" ? brief(progress, facts) : running(progress, facts, now)
}

/** The message of a run whose host died. */
export const renderInterrupted = (
  cli: string,
  facts: Pick<ProgressFacts, "resumeLine"> & { readonly buttons?: ReadonlyArray<ReadonlyArray<Button>> }
): ReplyPayload => {
  const { payload } = withResumeLine(`${interrupted} · ${code(cli)}`, facts.resumeLine)
  return { ...payload, ...(facts.buttons === undefined ? {} : { buttons: facts.buttons }) }
}

// The parts of a progress message.

/** `12 s`, `1 m 12 s`, `2 h 03 m`. */
export const formatTime = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const two = (count: number) => String(count).padStart(2, "0")
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} m`
}

/** `14:10` in a time zone. Default: that of the machine. */
const clockTime = (at: number, zone: string | undefined) =>
  Math.abs(at) > 8.64e15
    ? "an unknown time"
    : new Intl.DateTimeFormat("sv-SE", { timeStyle: "short", timeZone: zone }).format(at)

/** In characters. */
const longestWord = 60

const word = (text: string) => literal(shortLine(text, longestWord))

const facts = (parts: ReadonlyArray<string | undefined>) => parts.filter((part) => part !== undefined).join(" · ")

const codeOf = (text: string, longest: number) => code(shortLine(text, longest))

/** Verbs before the path, pattern, query…; commands and MCP tools need none. */
const verbs: { readonly [Kind in ToolKind]?: string } = {
  file_change: "edit ",
  read: "read ",
  search: "search ",
  web: "web ",
  subagent: "agent "
}

const marks = { open: "▸", ok: "✓", failed: "✗", unended: "■" } as const

const markOf = ({ phase, ok }: Action) => {
  if (phase !== "completed") return marks.open
  if (ok === undefined) return marks.unended
  return ok ? marks.ok : marks.failed
}

const changesOf = ({ changes }: Action) => {
  if (changes === undefined) return ""
  const counts = [changes.added > 0 ? `+${changes.added}` : "", changes.removed > 0 ? `−${changes.removed}` : ""]
  return ` (${counts.filter((count) => count !== "").join(" ")})`
}

const actionLine = (action: Action, workingDirectory: string | undefined, longest: number): string => {
  const { name, title } = labelOf(action, workingDirectory)
  const verb = verbs[action.kind]
  const known = verb !== undefined || action.kind === "command"
  const subject = title === "" ? codeOf(name, longest) : codeOf(title, longest)
  const tool = known || title === "" ? (title === "" ? "" : (verb ?? "")) : `${codeOf(name, longestWord)} `
  return `${markOf(action)} ${tool}${subject}${changesOf(action)}`
}

/** The line of an action and, while it is running, that of its sub-agent. */
const rowLines = ({ action, inner }: Row, { workingDirectory }: Progress, longest: number) => {
  const line = actionLine(action, workingDirectory, longest)
  const isInnerShown = inner !== undefined && action.phase !== "completed"
  return isInnerShown ? [line, `↳ ${actionLine(inner, workingDirectory, longest)}`] : [line]
}

const waitLines = (
  { wait, openRequests, silentMs }: Progress,
  now: number,
  zone: string | undefined
): ReadonlyArray<string> => {
  const [first = ""] = openRequests.values()
  if (openRequests.size > 0) {
    const subject = openRequests.size > 1 ? `${openRequests.size} requests` : first === "" ? "" : code(first)
    return [subject === "" ? "✋ waiting for you" : `✋ waiting for you: ${subject}`]
  }
  const silent = silentMs === undefined ? [] : [`! no output for ${formatTime(silentMs)}`]
  if (wait === undefined) return silent
  if (wait.type === "queued") return [`… ${literal(wait.message)}`, ...silent]
  if (wait.until <= now) return silent
  const isShort = wait.until - wait.since < 60_000
  const time = isShort ? `for ${formatTime(wait.until - wait.since)}` : `until ${clockTime(wait.until, zone)}`
  return [`… ${wait.type === "retry" ? "waiting to retry" : "rate limited"} ${time}`, ...silent]
}

const shownCharacters = 400

/** The end of the answer so far, from the start of a word. */
const textLines = (text: string): ReadonlyArray<string> => {
  const whole = text.trim()
  if (whole === "") return []
  if (whole.length <= shownCharacters) return [quote(whole)]
  const end = whole.slice(-shownCharacters)
  const start = end.search(/\s/)
  return [quote(`… ${start === -1 ? end : end.slice(start).trimStart()}`)]
}

const agentName = ({ cli, model }: Progress): string =>
  facts([word(cli), model === undefined ? undefined : word(model)])

const interrupted = "■ interrupted: the host was restarted"

/** The text of a message whose turn is over, without a trace of its end. */
export const leftOver = "■ over"

const ends = {
  ...{ completed: "✓ done", failed: "✗ failed", aborted: "■ stopped", timed_out: "■ timed out" },
  interrupted
} as const

const endLine = (cli: string, { outcome, cause, durationMs, costUsd }: ProgressEnd): string =>
  facts([
    ends[outcome],
    word(cli),
    cause === undefined ? undefined : word(cause),
    outcome === "interrupted" ? undefined : formatTime(durationMs),
    costUsd === undefined ? undefined : formatCost(costUsd)
  ])
