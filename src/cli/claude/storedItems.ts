/**
 * Lines of a transcript of Claude Code (2.1.330) → prompts and events. Answers and tool results are nearly the lines of the
 * output, and are read by its step, with a new state for every prompt: usage is that of the turn.
 */
import { Predicate, Result } from "effect"
import { at, present, textAt, textOfParts, timeAt } from "../jsonFields.ts"
import type { StoredItem, StoredReader } from "../Stored.ts"
import { decodeLeniently } from "../wireDecoder.ts"
import { step } from "./events.ts"
import { start } from "./run/state.ts"
import { decodeWire } from "./wire.ts"

const decode = decodeLeniently(decodeWire)

/** A command of the CLI, as the user typed it. */
const command = /^\s*<command-name>(.*?)<\/command-name>(?:[\s\S]*?<command-args>([\s\S]*?)<\/command-args>)?/

/** Text of the CLI in the user's place. */
const isOfCli = (text: string) => /^\s*<(?:local-command-|bash-std|task-notification)/.test(text)

/** The text of a line in which the user asks for something. */
export const promptOf = (line: unknown): string | undefined => {
  if (at(line, "type") !== "user" || at(line, "isMeta") === true || at(line, "isSidechain") === true) return undefined
  if (at(line, "isCompactSummary") === true) return undefined
  const content = at(line, "message", "content")
  const isResult = Array.isArray(content) && content.some((part) => at(part, "type") === "tool_result")
  const text = isResult ? "" : textOfParts(content)
  if (text.trim() === "" || isOfCli(text)) return undefined
  const [, name, args = ""] = command.exec(text) ?? []
  return name === undefined ? text : `${name} ${args}`.trim()
}

/** The line of the output that says the same. */
const wireOf = (line: object): unknown => ({
  ...line,
  parent_tool_use_id: null,
  ...("toolUseResult" in line ? { tool_use_result: line.toolUseResult } : {})
})

export const reader = (sessionId: string): StoredReader => {
  let state = start(false)
  let isOpen = false

  const session = (line: unknown): ReadonlyArray<StoredItem> => {
    const [workingDirectory, cliVersion] = [textAt(line, "cwd"), textAt(line, "version")]
    if (isOpen || workingDirectory === undefined) return []
    isOpen = true
    const event = { type: "session", sessionId, workingDirectory, ...present({ cliVersion }) } as const
    return [{ at: timeAt(line, "timestamp"), event }]
  }

  const spoken = (line: object): ReadonlyArray<StoredItem> => {
    const time = timeAt(line, "timestamp")
    if (at(line, "isApiErrorMessage") === true) {
      const message = textOfParts(at(line, "message", "content"))
      return [{ at: time, event: { type: "notice", kind: "warning", message } }]
    }
    const wire = decode(wireOf(line))
    if (Result.isFailure(wire)) return [{ at: time, event: { type: "unknown", raw: line } }]
    const [next, events] = step(state, wire.success, line)
    state = next
    return events.map((event) => ({ at: time, event }))
  }

  return {
    line: (line) => {
      // Sub-agent lines, in versions that write them here: only the call and its result belong to the session.
      if (!Predicate.isObject(line) || at(line, "isSidechain") === true) return []
      const opened = session(line)
      const type = at(line, "type")
      if (type === "assistant") return [...opened, ...spoken(line)]
      if (type !== "user") return opened
      const prompt = promptOf(line)
      if (prompt !== undefined) {
        state = start(false)
        return [...opened, { at: timeAt(line, "timestamp"), prompt }]
      }
      const hasResults = Array.isArray(at(line, "message", "content")) && at(line, "isMeta") !== true
      return hasResults ? [...opened, ...spoken(line)] : opened
    },
    end: () => []
  }
}
