/** The answer of a run: what the main agent wrote after its last tool call; pure but for what `makeAnswer` keeps. */
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"

const withEnd = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`)

/** An answer by a schema is its JSON. Where nothing was written after the last call, all text is the answer. */
const answerOf = ({ structuredOutput, text }: AgentRunResult, last: string): string => {
  if (structuredOutput !== undefined) return JSON.stringify(structuredOutput)
  return last.trim() === "" ? text : last
}

export const makeAnswer = () => {
  let all = ""
  let start = 0
  return {
    onEvent: (event: AgentEvent): void => {
      if (event.parentToolId !== undefined) return
      if (event.type === "text") all += event.text
      if (event.type === "tool_use") start = all.length
      const voided = event.type === "notice" && event.kind === "text_voided" ? event.data?.["characters"] : undefined
      if (typeof voided !== "number") return
      all = all.slice(0, Math.max(0, all.length - voided))
      start = Math.min(start, all.length)
    },
    /** Ends with a line feed. */
    textOf: (result: AgentRunResult): string => withEnd(answerOf(result, all.slice(start)).replace(/^\s*\n/, ""))
  }
}
