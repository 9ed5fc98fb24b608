/**
 * Rows of a session of OpenCode (1.18.33) → prompts and events. Parts are those of the output under other names, and are read by
 * its step, with a new state for every prompt: usage is that of the turn.
 */
import { Predicate } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { at, entryOf, numberAt, parsed, present, textAt } from "../jsonFields.ts"
import type { StoredItem, StoredRow } from "../Stored.ts"
import { step } from "./events.ts"
import { start } from "./run/state.ts"
import { describeTool, filesOf } from "./run/tools.ts"

/** The line of the output that has such a part. */
const lineTypes: Readonly<Record<string, string>> = {
  "step-start": "step_start",
  "step-finish": "step_finish",
  text: "text",
  reasoning: "reasoning",
  tool: "tool_use"
}

const ended: ReadonlySet<unknown> = new Set(["completed", "error"])

interface Part {
  readonly time: number | undefined
  readonly json: object
}

const partsByMessage = (rows: ReadonlyArray<StoredRow>): ReadonlyMap<string, ReadonlyArray<Part>> => {
  const parts = new Map<string, Array<Part>>()
  for (const row of rows) {
    const [message, json] = [textAt(row, "message_id"), parsed(textAt(row, "data") ?? "")]
    if (message === undefined || !Predicate.isObject(json)) continue
    const list = parts.get(message) ?? []
    list.push({ time: numberAt(row, "time_created"), json: { ...json, messageID: message } })
    parts.set(message, list)
  }
  return parts
}

const promptOf = (parts: ReadonlyArray<Part>): string =>
  parts
    .flatMap(({ json }) =>
      at(json, "type") === "text" && at(json, "synthetic") !== true ? (textAt(json, "text") ?? []) : []
    )
    .join("\n")

const sessionOf = (row: StoredRow | undefined): ReadonlyArray<StoredItem> => {
  const sessionId = textAt(row, "id")
  if (sessionId === undefined) return []
  const facts = present({ workingDirectory: textAt(row, "directory"), cliVersion: textAt(row, "version") })
  return [{ at: numberAt(row, "time_created"), event: { type: "session", sessionId, ...facts } }]
}

/** A call that was cut off has no result. */
const unended = (json: object): ReadonlyArray<AgentEvent> => {
  const [toolName, toolId] = [textAt(json, "tool"), textAt(json, "callID")]
  if (toolName === undefined || toolId === undefined) return []
  const input = at(json, "state", "input") ?? {}
  return [{ type: "tool_use", toolName, toolId, input, ...describeTool(toolName, input), ...filesOf(toolName, input) }]
}

export const items = ([sessions = [], messages = [], parts = []]: ReadonlyArray<
  ReadonlyArray<StoredRow>
>): ReadonlyArray<StoredItem> => {
  const known = partsByMessage(parts)
  let state = start({ prompt: "" })

  const part = ({ time, json }: Part): ReadonlyArray<StoredItem> => {
    const type = textAt(json, "type") ?? ""
    const line = entryOf(lineTypes, type)
    if (line === undefined) return []
    if (type === "tool" && !ended.has(at(json, "state", "status"))) {
      return unended(json).map((event) => ({ at: time, event }))
    }
    const [next, events] = step(state, {}, { type: line, part: json })
    state = next
    return events.map((event) => ({ at: time, event }))
  }

  const message = (row: StoredRow): ReadonlyArray<StoredItem> => {
    const [id, json, time] = [textAt(row, "id") ?? "", parsed(textAt(row, "data") ?? ""), numberAt(row, "time_created")]
    const own = known.get(id) ?? []
    if (at(json, "role") !== "user") return own.flatMap(part)
    const prompt = promptOf(own)
    if (prompt.trim() === "") return []
    state = start({ prompt: "" })
    return [{ at: time, prompt }]
  }

  return [...sessionOf(sessions[0]), ...messages.flatMap(message)]
}
