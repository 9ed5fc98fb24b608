/** The work of an agent so far, by its events, and the number of changed lines; pure. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { inFlags } from "../flagNames.ts"
import { makeAnswer } from "../show.ts"

export const patchLines = (patch: string): { readonly added: number; readonly removed: number } => {
  let [added, removed, isInHunk] = [0, 0, false]
  for (const line of patch.split("\n")) {
    if (line.startsWith("diff --git ")) isInHunk = false
    else if (line.startsWith("@@ ")) isInHunk = true
    else if (isInHunk && line.startsWith("+")) added += 1
    else if (isInHunk && line.startsWith("-")) removed += 1
  }
  return { added, removed }
}

export interface Tally {
  readonly onEvent: (event: AgentEvent) => void
  readonly tools: () => number
  readonly model: () => string | undefined
  /** The latest call that has not ended. */
  readonly doing: () => string | undefined
  readonly failure: () => string | undefined
  readonly isOver: () => boolean
  readonly answer: ReturnType<typeof makeAnswer>
}

export const makeTally = (): Tally => {
  let tools = 0
  let model: string | undefined
  let failure: string | undefined
  let isOver = false
  const open = new Map<string, string>()
  const answer = makeAnswer()
  return {
    onEvent: (event) => {
      answer.onEvent(event)
      if (event.type === "error") failure = inFlags(event.message)
      if (event.type === "done") isOver = true
      if (event.type === "session") model = event.model ?? model
      if (event.type === "tool_result") open.delete(event.toolId)
      if (event.type !== "tool_use") return
      tools += 1
      open.set(event.toolId, event.title === undefined ? event.toolName : `${event.toolName}  ${event.title}`)
    },
    tools: () => tools,
    model: () => model,
    doing: () => [...open.values()].at(-1),
    failure: () => failure,
    isOver: () => isOver,
    answer
  }
}
