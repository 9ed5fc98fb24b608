/**
 * Reads commands, messages and thoughts, nearly all lines of a run, from their text (0.169.0): only the output of a finished
 * command is parsed. That saves a fifth of splitting, parsing and checking. The patterns have only the members that Codex
 * prints, in their order.
 */
import { plainContent, stringContent, stringOf } from "../../../contract/text/jsonLine.ts"
import type { Glance } from "../../Decoder.ts"
import type { Item, ItemLine } from "../wire.ts"

const start = String.raw`"item":\{"id":"(${plainContent})","type":"`
const command = `"command":"(${stringContent})","aggregated_output":`

/** A whole line, or that of a finished command up to its output. */
const pattern = new RegExp(
  [
    String.raw`\{"type":"item\.(?:`,
    String.raw`started",${start}command_execution",${command}"","exit_code":null,"status":"in_progress"\}\}$|`,
    String.raw`completed",${start}(?:(agent_message|reasoning)","text":"(${stringContent})"\}\}$|`,
    `command_execution",${command}(?=")))`
  ].join(""),
  "y"
)

const end = /,"exit_code":(0|[1-9]\d{0,5}),"status":"(completed|failed)"\}\}$/y

/** Undefined for more than one string. */
const stringBetween = (line: string, from: number, to: number): string | undefined => {
  try {
    const value: unknown = JSON.parse(line.slice(from, to))
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}

const finished = (line: string, from: number, id: string, command: string): Item | undefined => {
  const to = line.lastIndexOf(',"exit_code":')
  end.lastIndex = Math.max(from, to)
  const match = end.exec(line)
  const output = match === null ? undefined : stringBetween(line, from, to)
  if (match === null || output === undefined) return undefined
  const [, exitCode, status = ""] = match
  return {
    id: stringOf(id),
    type: "command_execution",
    command: stringOf(command),
    aggregated_output: output,
    exit_code: Number(exitCode),
    status
  }
}

export const glance = (line: string): Glance<ItemLine> | undefined => {
  pattern.lastIndex = 0
  const match = pattern.exec(line)
  if (match === null) return undefined
  const [, startedId, started = "", id = "", type, text, command = ""] = match
  if (startedId !== undefined) {
    const item = { id: stringOf(startedId), type: "command_execution", command: stringOf(started) } as const
    return { wire: { type: "item.started", item } }
  }
  if (text !== undefined) {
    const kind = type === "reasoning" ? type : "agent_message"
    return { wire: { type: "item.completed", item: { id: stringOf(id), type: kind, text: stringOf(text) } } }
  }
  const item = finished(line, pattern.lastIndex, id, command)
  return item && { wire: { type: "item.completed", item } }
}
