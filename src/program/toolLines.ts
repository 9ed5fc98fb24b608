/** Tool calls for people: their names, whatever the CLI calls its tools, and their lines in a transcript; pure. */
import { CliOutput } from "effect/cli"
import type { Action } from "../bridge/actions/AgentAction.ts"
import { labelOf, type ToolFacts, type ToolLabel } from "../bridge/actions/tools.ts"
import type { ToolKind } from "../contract/ToolEvent.ts"
import { formatDuration, formatElapsed, plural } from "../contract/text/amounts.ts"
import { harmless } from "../contract/text/harmless.ts"
import { clip } from "./format.ts"
import { printable } from "./sequences.ts"
import { marks, paint, roomOf, type Surface } from "./style.ts"

const verbs: { readonly [Kind in ToolKind]?: string } = { command: "Run", read: "Read", search: "Search", web: "Fetch" }

/** Codex titles start with the kind of change. */
const changed = /^(add|update|delete) (?=\S)/
const changeVerbs: Readonly<Record<string, string>> = { add: "Write", update: "Edit", delete: "Delete" }

const relative = (title: string, workingDirectory: string | undefined): string => {
  if (workingDirectory === undefined) return title
  const start = `${workingDirectory}/`
  return title
    .split(" ")
    .map((word) => (word.startsWith(start) && word.length > start.length ? word.slice(start.length) : word))
    .join(" ")
}

export const spokenLabel = (facts: ToolFacts, workingDirectory: string | undefined): ToolLabel => {
  const { kind, toolName } = facts
  const { name, title } = labelOf(facts, workingDirectory)
  if (kind === "mcp") {
    const [, server, tool] = /^([^:]+): (.+)$/.exec(name) ?? []
    return server === undefined ? { name, title } : { name: `${tool} of ${server}`, title }
  }
  if (title === "") return { name, title }
  if (kind === "subagent") return { name: title, title: "" }
  if (kind === "file_change") {
    const [start = "", verb = ""] = changed.exec(title) ?? []
    const usual = /write|create/i.test(toolName) ? "Write" : "Edit"
    return { name: changeVerbs[verb] ?? usual, title: relative(title.slice(start.length), workingDirectory) }
  }
  const known = verbs[kind]
  return known === undefined ? { name, title } : { name: known, title: relative(title, workingDirectory) }
}

export const toolLabel = (surface: Surface, { name, title }: ToolLabel, room: number): string => {
  const isAlone = title === ""
  const short = clip(name, isAlone ? room : Math.max(8, Math.floor(room / 2)))
  // Most names have four letters.
  const gap = " ".repeat(Math.max(0, 4 - short.length) + 2)
  const left = room - CliOutput.displayWidth(short) - gap.length
  if (isAlone || left < 4) return paint(surface, "bold", short)
  return `${paint(surface, "bold", short)}${gap}${clip(title, left)}`
}

const shownOutputLines = 5

const briefOutput = ({ kind, ok, detail }: Action): string => {
  const { lines = 0, firstLine = "" } = detail?.output ?? {}
  if (kind !== "command" || ok !== true || lines === 0) return ""
  return lines === 1 ? `→ ${firstLine}` : `→ ${plural(lines, "line")}`
}

const lastLines = (surface: Surface, output: string, room: number): ReadonlyArray<string> => {
  const lines = harmless(output)
    .split("\n")
    .filter((line) => line.trim() !== "")
  const more = lines.length - shownOutputLines
  const visible = more > 1 ? lines.slice(-shownOutputLines) : lines
  const rest = more > 1 ? [`… ${plural(more, "line")} above`] : []
  return [...rest, ...visible].map((line) => paint(surface, "dim", `  ${clip(line.replaceAll("\t", "  "), room - 2)}`))
}

const widthOf = (part: string) => (part === "" ? 0 : CliOutput.displayWidth(printable(part)) + 2)

const timeOf = ({ durationMs }: Action, waitedMs = 0) => {
  if (durationMs === undefined) return ""
  const waited = waitedMs < shortestWaitMs ? "" : ` · waited ${formatElapsed(waitedMs)} for you`
  return formatDuration(Math.max(0, durationMs - waitedMs)) + waited
}

const shortestWaitMs = 1000

const changesText = (surface: Surface, { changes, ok }: Action): string =>
  changes === undefined || ok === false
    ? ""
    : `${paint(surface, "green", `+${changes.added}`)} ${paint(surface, "red", `-${changes.removed}`)}`

/** The line of a finished tool call, and the end of its output if it failed. `waitedMs`: time for a person, not of the call. */
export const endedTool = (
  surface: Surface,
  action: Action,
  label: ToolLabel,
  output: string,
  indent: number,
  waitedMs: number
): ReadonlyArray<string> => {
  const mark = action.ok === false ? paint(surface, "red", marks.failed) : paint(surface, "green", marks.ok)
  const time = timeOf(action, waitedMs)
  const room = roomOf(surface) - indent
  const changes = changesText(surface, action)
  const left = room - 2 - widthOf(time) - widthOf(changes)
  const visible = toolLabel(surface, label, left)
  const brief = briefOutput(action)
  const fits = CliOutput.displayWidth(visible) + CliOutput.displayWidth(brief) + 2 <= left
  const parts = [
    visible,
    changes,
    ...(brief !== "" && fits ? [paint(surface, "dim", brief)] : []),
    paint(surface, "dim", time)
  ]
  const line = `${mark} ${parts.filter((part) => part !== "").join("  ")}`
  return action.ok === false ? [line, ...lastLines(surface, output, room)] : [line]
}

export const unendedTool = (surface: Surface, action: Action, label: ToolLabel): string => {
  const time = timeOf(action)
  const note = time === "" ? "not ended" : `not ended after ${time}`
  const visible = toolLabel(surface, label, roomOf(surface) - note.length - 4)
  return `${paint(surface, "yellow", marks.stopped)} ${visible}  ${paint(surface, "dim", note)}`
}
