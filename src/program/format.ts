/**
 * Numbers, names and text of agents, formatted for people; pure. Text of an agent or its tools goes through `harmless`
 * before it is printed: it cannot move the cursor, colour the screen or set a title.
 */
import { CliOutput } from "effect/cli"
import { fewNames, isAcpAgentId } from "../contract/CliSupport.ts"
import { suggestionFor } from "../contract/suggestions.ts"
import { graphemesOf } from "../contract/text/graphemes.ts"

/** A moment in a zone: `2026-11-24 00:00`. Default: the zone of the machine. */
export const localTime = (at: number, zone?: string): string => {
  if (!Number.isFinite(at) || Math.abs(at) > 8.64e15) return "an unknown time"
  const options = { dateStyle: "short", timeStyle: "short", timeZone: zone } as const
  return new Intl.DateTimeFormat("sv-SE", options).format(at)
}

export { oneLine } from "../contract/text/harmless.ts"

const gapTo = (text: string, width: number) => " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))
export const padEnd = (text: string, width: number): string => text + gapTo(text, width)
export const padStart = (text: string, width: number): string => gapTo(text, width) + text
export const widest = (texts: ReadonlyArray<string>): number => Math.max(0, ...texts.map(CliOutput.displayWidth))

/** At most `width` cells of a line, with `…` where it was cut. */
export const clip = (text: string, width: number): string => {
  // Bounds the work on a long text: no character takes more than 16 code units a cell.
  const head = text.slice(0, Math.max(0, width) * 16)
  if (head.length === text.length && CliOutput.displayWidth(text) <= width) return text
  let stored = ""
  let used = 1
  for (const { segment } of graphemesOf(head)) {
    used += CliOutput.displayWidth(segment)
    if (used > width) break
    stored += segment
  }
  return width < 1 ? "" : `${stored}…`
}

/** `a, b or c`. */
export const listed = (names: ReadonlyArray<string>, word: "and" | "or" = "or"): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`

/** Names that CLIs use for values of our flags. */
const foreign: Readonly<Record<string, string>> = {
  yolo: "gemini",
  auto_edit: "gemini",
  autoedit: "gemini",
  acceptedits: "claude",
  bypasspermissions: "claude",
  "full-auto": "codex",
  "read-only": "codex",
  "workspace-write": "codex",
  "danger-full-access": "codex"
}

/** The problem of an unknown name, with its correction. */
export const oneOf = (name: string, known: ReadonlyArray<string>): string => {
  const near = suggestionFor(name, known)
  const owner = foreign[name.toLowerCase()]
  const { few, areAll } = fewNames(known)
  if (isAcpAgentId(name) && known.includes("claude") && !known.includes(name))
    return `is an agent of the Agent Client Protocol, which is not supported here. ${listed(few)}`
  const others = areAll ? "" : "; reins agents lists the others"
  if (near === undefined) return `not known. ${listed(few)}${others}`
  if (owner !== undefined) return `not known. ${listed(few)} (${owner}'s ${name} is ${near})`
  return `not known. Did you mean ${near}? (${few.join(", ")}${others})`
}
