/** A fold over the events of one run: the text that stands, which tool calls are open, and whether there was any output. */
import { Predicate } from "effect"
import type { AgentEvent } from "../AgentEvent.ts"

export interface Tally {
  readonly push: (event: AgentEvent) => void
  /** Main-thread text, less what was withdrawn. */
  readonly text: () => string
  readonly isToolOpen: () => boolean
  /** Text, a thought or a tool call had come, also one that was withdrawn or is a sub-agent's. */
  readonly hadOutput: () => boolean
}

const voidedCharacters = (event: AgentEvent) => {
  if (event.type !== "notice" || event.kind !== "text_voided") return 0
  const count = event.data?.["characters"]
  return Predicate.isNumber(count) ? count : 0
}

export const makeTally = (): Tally => {
  let text = ""
  const openTools = new Set<string>()
  let hadOutput = false
  return {
    push: (event) => {
      hadOutput ||= event.type === "text" || event.type === "thinking" || event.type === "tool_use"
      if (event.type === "text" && event.parentToolId === undefined) text += event.text
      if (event.type === "tool_use") openTools.add(event.toolId)
      if (event.type === "tool_result") openTools.delete(event.toolId)
      const voided = voidedCharacters(event)
      if (voided > 0) text = text.slice(0, Math.max(0, text.length - voided))
    },
    text: () => text,
    isToolOpen: () => openTools.size > 0,
    hadOutput: () => hadOutput
  }
}
