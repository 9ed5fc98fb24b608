/**
 * Lines of a session of Pi (1.6.0) → prompts and events: whole messages, which are read by the step of the output, with a
 * new state for every prompt: usage is that of the turn. Branches that were left remain in their place.
 */
import { Result } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { at, listAt, present, textAt, textOfParts, timeAt } from "../jsonFields.ts"
import type { StoredItem, StoredReader } from "../Stored.ts"
import { decodeLeniently } from "../wireDecoder.ts"
import { step } from "./events.ts"
import { start } from "./run/state.ts"
import { decodeWire, type Wire } from "./wire.ts"

const decode = decodeLeniently(decodeWire)

const roleOf = (line: unknown) => (at(line, "type") === "message" ? textAt(line, "message", "role") : undefined)

export const isPrompt = (line: unknown): boolean => roleOf(line) === "user"

/** The text of a line in which the user asks for something. */
export const promptOf = (line: unknown): string | undefined =>
  isPrompt(line) ? textOfParts(at(line, "message", "content")) : undefined

/** The lines of the output that say the same as a message of the model, or as the result of a tool. */
const wiresOf = (line: unknown): ReadonlyArray<unknown> => {
  const message = at(line, "message")
  if (roleOf(line) === "toolResult") {
    const { toolCallId, toolName, content, details, isError } = Object(message)
    return [{ type: "tool_execution_end", toolCallId, toolName, result: { content, details }, isError }]
  }
  const calls = listAt(message, "content").filter((block) => at(block, "type") === "toolCall")
  return [
    { type: "message_start", message },
    { type: "message_end", message },
    ...calls.map((call) => ({
      type: "tool_execution_start",
      toolCallId: at(call, "id"),
      toolName: at(call, "name"),
      args: at(call, "arguments")
    }))
  ]
}

export const reader = (sessionId: string): StoredReader => {
  let state = start()

  const read = (wire: Wire): ReadonlyArray<AgentEvent> => {
    const [next, events] = step(state, wire)
    state = next
    return events
  }

  return {
    line: (line) => {
      const time = timeAt(line, "timestamp")
      const item = (event: AgentEvent): StoredItem => ({ at: time, event })
      switch (roleOf(line) ?? at(line, "type")) {
        case "session":
          return [item({ type: "session", sessionId, ...present({ workingDirectory: textAt(line, "cwd") }) })]
        case "user":
          state = start()
          return [{ at: time, prompt: promptOf(line) ?? "" }]
        case "assistant":
        case "toolResult":
          return wiresOf(line).flatMap((wire) => {
            const decoded = decode(wire)
            return Result.isFailure(decoded) ? [item({ type: "unknown", raw: line })] : read(decoded.success).map(item)
          })
        case "compaction":
          return [
            item({ type: "notice", kind: "info", message: "Pi summarized the conversation to make room for more" })
          ]
        default:
          return []
      }
    },
    end: () => []
  }
}
