/**
 * Lines of a rollout of Codex (0.169.0) → prompts and events. Items are nearly those of `app-server`; threads of older versions
 * (`history_mode` is not `paginated`) have only the messages exchanged with the model.
 */
import { Predicate } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { firstLine } from "../../contract/text/toolTitle.ts"
import { at, listAt, numberAt, parsed, present, textAt, textOfParts, timeAt } from "../jsonFields.ts"
import { base64OfUrl, mediaOf } from "../media.ts"
import type { StoredBase, StoredItem, StoredReader } from "../Stored.ts"
import { readCall } from "./live/items.ts"
import type { Item } from "./live/wire.ts"
import { makeMessages } from "./run/messages.ts"
import { recordedUsage } from "./run/state.ts"
import { toolResult, toolUse } from "./run/tools.ts"

const payloadOf = (line: unknown, type: string): unknown =>
  at(line, "type") === type ? at(line, "payload") : undefined

const itemOf = (line: unknown): unknown => {
  const message = payloadOf(line, "event_msg")
  return at(message, "type") === "item_completed" ? at(message, "item") : undefined
}

const nonEmpty = (text: string) => (text.trim() === "" ? undefined : text)

/** The text of a line in which the user asks for something. */
export const promptOf = (line: unknown): string | undefined => {
  const item = itemOf(line)
  if (at(item, "type") === "UserMessage") return nonEmpty(textOfParts(at(item, "content")))
  const message = payloadOf(line, "event_msg")
  return at(message, "type") === "user_message" ? nonEmpty(textAt(message, "message") ?? "") : undefined
}

/** A fork has only its own lines, and the position in its parent's file at which it began. */
export const baseOf = (line: unknown): StoredBase | undefined => {
  const base = at(payloadOf(line, "session_meta"), "history_base")
  const [sessionId, endByte] = [textAt(base, "thread_id"), numberAt(base, "end_byte_offset")]
  return sessionId === undefined || endByte === undefined ? undefined : { sessionId, endByte }
}

const plainWord = /^[\w@%+=:,./-]+$/

/** As `exec` prints it. */
const commandLine = (words: unknown): unknown =>
  Array.isArray(words)
    ? words
        .map(String)
        .map((word) => (plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
        .join(" ")
    : words

/** Changes by their paths, as a list. */
const changesOf = (changes: unknown): unknown =>
  Predicate.isObject(changes) && !Array.isArray(changes)
    ? Object.entries(changes).map(([path, change]: readonly [string, unknown]) => ({
        path,
        kind: { type: textAt(change, "type"), move_path: textAt(change, "move_path") },
        diff: textAt(change, "content") ?? textAt(change, "unified_diff")
      }))
    : changes

/** The item as `app-server` would have given it. */
const liveItem = (item: object): Item | undefined => {
  const [id, type] = [textAt(item, "id"), textAt(item, "type")]
  if (id === undefined || type === undefined) return undefined
  const { command, changes, ...others } = item as Readonly<Record<string, unknown>> // its keys are not known
  return {
    ...others,
    id,
    type: type.slice(0, 1).toLowerCase() + type.slice(1),
    ...(command === undefined ? {} : { command: commandLine(command) }),
    ...(changes === undefined ? {} : { changes: changesOf(changes) })
  }
}

const usageOf = (record: unknown): ReadonlyArray<AgentEvent> => {
  const usage = recordedUsage(record)
  return usage === undefined ? [] : [{ type: "usage", usage }]
}

/** Messages exchanged with the model, in threads without items. */
const exchanged = (item: unknown, messages: ReturnType<typeof makeMessages>): ReadonlyArray<AgentEvent> => {
  const [type, id] = [textAt(item, "type"), textAt(item, "call_id") ?? textAt(item, "id") ?? ""]
  switch (type) {
    case "message":
      return at(item, "role") === "assistant"
        ? messages.completed({ id, type: "agent_message", text: textOfParts(at(item, "content")) })
        : []
    case "reasoning":
      return messages.completed({ id, type: "reasoning", text: textOfParts(at(item, "summary")) })
    case "function_call":
    case "custom_tool_call": {
      messages.forget()
      const toolName = textAt(item, "name") ?? type
      const value = textAt(item, "arguments") ?? textAt(item, "input")
      const input = value === undefined ? {} : (parsed(value) ?? value)
      const command = textAt(input, "cmd")
      const kind = command === undefined ? "other" : "command"
      return [toolUse(id, { toolName, input, kind, title: firstLine(command ?? toolName) })]
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const output = at(item, "output")
      const images = Array.isArray(output) ? output.flatMap((part) => base64OfUrl(at(part, "image_url"))) : []
      const text = textAt(output, "content") ?? textOfParts(output)
      return [toolResult(id, { output: text, isError: false, ...mediaOf(images) })]
    }
    default:
      return []
  }
}

export const reader = (sessionId: string): StoredReader => {
  let messages = makeMessages()
  let hasItems = false
  let isOpen = false
  let usage: ReadonlyArray<AgentEvent> = []
  /** Calls of the model, until their item comes. */
  const open = new Map<string, StoredItem>()

  /** A fork begins with the lines of its parent. */
  const session = (meta: unknown): ReadonlyArray<AgentEvent> => {
    if (isOpen) return []
    isOpen = true
    const [workingDirectory, cliVersion] = [textAt(meta, "cwd"), textAt(meta, "cli_version")]
    return [{ type: "session", sessionId, ...present({ workingDirectory, cliVersion }) }]
  }

  const item = (value: object): ReadonlyArray<AgentEvent> => {
    const [type, id] = [textAt(value, "type"), textAt(value, "id") ?? ""]
    if (type === "AgentMessage")
      return messages.completed({ id, type: "agent_message", text: textOfParts(at(value, "content")) })
    if (type === "Reasoning") {
      const name = listAt(value, "summary_text").length > 0 ? "summary_text" : "raw_content"
      return messages.completed({ id, type: "reasoning", text: textOfParts(at(value, name)) })
    }
    if (type === "Plan") return [{ type: "plan", text: textAt(value, "text") ?? "" }]
    const live = liveItem(value)
    const read = live && readCall(live)
    if (read === undefined) return []
    messages.forget()
    open.delete(id)
    return [toolUse(id, read.call), toolResult(id, read.outcome)]
  }

  const eventMessage = (message: unknown, line: unknown): ReadonlyArray<AgentEvent> => {
    const value = itemOf(line)
    if (Predicate.isObject(value)) return item(value)
    switch (at(message, "type")) {
      case "task_complete":
        return usage
      case "turn_aborted":
        return [...usage, { type: "notice", kind: "info", message: "The turn was interrupted" }]
      default:
        return []
    }
  }

  /** Some calls have no item: their answer ends them. */
  const unfinished = (item: unknown, time: number | undefined): ReadonlyArray<AgentEvent> => {
    const id = textAt(item, "call_id")
    const [event] = exchanged(item, makeMessages())
    if (id !== undefined && event?.type === "tool_use") open.set(id, { at: time, event })
    if (id !== undefined && event?.type === "tool_result") open.delete(id)
    return []
  }

  /** Calls that were cut off with their process. */
  const cutOff = (): ReadonlyArray<StoredItem> => {
    const calls = [...open.values()]
    open.clear()
    return calls
  }

  const events = (line: unknown): ReadonlyArray<AgentEvent> => {
    const payload = at(line, "payload")
    switch (at(line, "type")) {
      case "session_meta":
        hasItems = at(payload, "history_mode") === "paginated"
        return session(payload)
      case "event_msg":
        return eventMessage(payload, line)
      case "token_usage_record":
        usage = usageOf(payload)
        return []
      case "response_item":
        return hasItems ? unfinished(payload, timeAt(line, "timestamp")) : exchanged(payload, messages)
      default:
        return []
    }
  }

  return {
    line: (line) => {
      const time = timeAt(line, "timestamp")
      const prompt = promptOf(line)
      if (prompt === undefined) return events(line).map((event): StoredItem => ({ at: time, event }))
      messages = makeMessages()
      usage = []
      return [...cutOff(), { at: time, prompt }]
    },
    end: cutOff
  }
}
