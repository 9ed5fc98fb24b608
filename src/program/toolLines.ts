/** The lines of a transcript for a tool call: one line, and the end of its output if it failed; pure. */
import { CliOutput } from "effect/cli"
import type { Action } from "../bridge/actions/AgentAction.ts"
import type { ToolLabel } from "../bridge/actions/tools.ts"
import { formatDuration, formatElapsed, plural } from "../contract/text/amounts.ts"
import { harmless } from "../contract/text/harmless.ts"
import { clip } from "./format.ts"
import { printable } from "./sequences.ts"
import { marks, paint, roomOf, type Surface } from "./style.ts"

/** Name and title, in at most `room` cells. */
export const toolLabel = (surface: Surface, { name, title }: ToolLabel, room: number): string => {
  const isAlone = title === ""
  const short = clip(name, isAlone ? room : Math.max(8, Math.floor(room / 2)))
  // Names of four letters are the most frequent.
  const gap = " ".repeat(Math.max(0, 4 - short.length) + 2)
  const left = room - CliOutput.displayWidth(short) - gap.length
  if (isAlone || left < 4) return paint(surface, "bold", short)
  return `${paint(surface, "bold", short)}${gap}${clip(title, left)}`
}

const shownOutputLines = 5

/** The output of a successful command, short enough to follow the command on its line. */
const briefOutput = ({ kind, ok, detail }: Action): string => {
  const { lines = 0, firstLine = "" } = detail?.output ?? {}
  if (kind !== "command" || ok !== true || lines === 0) return ""
  return lines === 1 ? `→ ${firstLine}` : `→ ${plural(lines, "line")}`
}

/** The last ones have the cause. */
const lastLines = (surface: Surface, output: string, room: number): ReadonlyArray<string> => {
  const lines = harmless(output)
    .split("\n")
    .filter((line) => line.trim() !== "")
  const more = lines.length - shownOutputLines
  const visible = more > 1 ? lines.slice(-shownOutputLines) : lines
  const rest = more > 1 ? [`… ${plural(more, "line")} above`] : []
  return [...rest, ...visible].map((line) => paint(surface, "dim", `  ${clip(line.replaceAll("\t", "  "), room - 2)}`))
}

/** With the gap before it. */
const widthOf = (part: string) => (part === "" ? 0 : CliOutput.displayWidth(printable(part)) + 2)

const timeOf = ({ durationMs }: Action, waitedMs = 0) => {
  if (durationMs === undefined) return ""
  const waited = waitedMs < shortestWaitMs ? "" : ` · waited ${formatElapsed(waitedMs)} for you`
  return formatDuration(Math.max(0, durationMs - waitedMs)) + waited
}

const shortestWaitMs = 1000

/** `+2 -1`, in lines. */
const changesText = (surface: Surface, { changes, ok }: Action): string =>
  changes === undefined || ok === false
    ? ""
    : `${paint(surface, "green", `+${changes.added}`)} ${paint(surface, "red", `-${changes.removed}`)}`

/** The line of a finished tool call, and the end of its output if it failed. `waitedMs`: for a person, no time of the call. */
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

/** The line of a tool call that never finished. */
export const unendedTool = (surface: Surface, action: Action, label: ToolLabel): string => {
  const time = timeOf(action)
  const note = time === "" ? "not ended" : `not ended after ${time}`
  const visible = toolLabel(surface, label, roomOf(surface) - note.length - 4)
  return `${paint(surface, "yellow", marks.stopped)} ${visible}  ${paint(surface, "dim", note)}`
}
