/** The parts of a progress message, as Markdown in which untrusted text is escaped; pure. */

import type { ToolKind } from "../../contract/ToolEvent.ts"
import { formatCost } from "../../contract/text/amounts.ts"
import { shortLine } from "../../contract/text/oneLine.ts"
import { code, literal, quote } from "../../conversations/export/markdownText.ts"
import type { Action } from "../actions/AgentAction.ts"
import { labelOf } from "../actions/tools.ts"
import type { Progress, ProgressEnd, Row } from "./state.ts"

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

/** `✓ npm test`, `▸ edit src/a.ts (+4 −1)`. */
const actionLine = (action: Action, workingDirectory: string | undefined, longest: number): string => {
  const { name, title } = labelOf(action, workingDirectory)
  const verb = verbs[action.kind]
  const known = verb !== undefined || action.kind === "command"
  const subject = title === "" ? codeOf(name, longest) : codeOf(title, longest)
  const tool = known || title === "" ? (title === "" ? "" : (verb ?? "")) : `${codeOf(name, longestWord)} `
  return `${markOf(action)} ${tool}${subject}${changesOf(action)}`
}

/** The line of an action, and below it that of its sub-agent while the action is running. */
export const rowLines = ({ action, inner }: Row, { workingDirectory }: Progress, longest: number) => {
  const line = actionLine(action, workingDirectory, longest)
  const isInnerShown = inner !== undefined && action.phase !== "completed"
  return isInnerShown ? [line, `↳ ${actionLine(inner, workingDirectory, longest)}`] : [line]
}

/** Reasons why the run waits. */
export const waitLines = (
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
export const textLines = (text: string): ReadonlyArray<string> => {
  const whole = text.trim()
  if (whole === "") return []
  if (whole.length <= shownCharacters) return [quote(whole)]
  const end = whole.slice(-shownCharacters)
  const start = end.search(/\s/)
  return [quote(`… ${start === -1 ? end : end.slice(start).trimStart()}`)]
}

/** `claude · opus`. */
export const agentName = ({ cli, model }: Progress): string =>
  facts([word(cli), model === undefined ? undefined : word(model)])

export const interrupted = "■ interrupted: the host was restarted"

const ends = {
  ...{ completed: "✓ done", failed: "✗ failed", aborted: "■ stopped", timed_out: "■ timed out" },
  interrupted
} as const

/** `✓ done · claude · 2 m 03 s · $0.21`. */
export const endLine = (cli: string, { outcome, cause, durationMs, costUsd }: ProgressEnd): string =>
  facts([
    ends[outcome],
    word(cli),
    cause === undefined ? undefined : word(cause),
    outcome === "interrupted" ? undefined : formatTime(durationMs),
    costUsd === undefined ? undefined : formatCost(costUsd)
  ])
