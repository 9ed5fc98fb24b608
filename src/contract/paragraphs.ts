/**
 * Separates the texts of the main agent that stand before and after something else, such as a tool call, by an empty line,
 * which the later text begins with: joined `text` events stay the text of the result. CLIs do not print it (Claude Code
 * 2.1.328, Gemini CLI 0.53.0).
 */
import type { AgentEvent, NoticeEvent, TextEvent } from "./AgentEvent.ts"

/** Added line breaks: where they begin in the text, and their number. */
interface Lead {
  readonly at: number
  readonly length: number
}

/** Parts of an answer between texts. `usage` is not one: that of a sub-agent can come in the middle of a text. */
const dividers: ReadonlySet<AgentEvent["type"]> = new Set([
  "thinking",
  "tool_use",
  "tool_result",
  "plan",
  "permission_request",
  "question"
])

/** Withdrawn text never reaches further back than a few of them. */
const mostLeads = 64

const breaksAtStart = (text: string) => (text.startsWith("\n\n") ? 2 : text.startsWith("\n") ? 1 : 0)
const breaksAtEnd = (text: string) => (text.endsWith("\n\n") ? 2 : text.endsWith("\n") ? 1 : 0)

/** The events of one run or turn, in order → the same, with the empty lines; undefined for an empty text, which only divides. */
export const makeParagraphs = () => {
  let length = 0
  /** The end of the text: at least its last two characters. */
  let tail = ""
  let isDivided = false
  let leads: Array<Lead> = []

  const withLead = (event: TextEvent): TextEvent => {
    const missing = Math.max(0, 2 - breaksAtEnd(tail) - breaksAtStart(event.text))
    if (missing === 0) return event
    leads.push({ at: length, length: missing })
    if (leads.length > mostLeads) leads = leads.slice(-mostLeads / 2)
    return { ...event, text: "\n".repeat(missing) + event.text }
  }

  const onText = (event: TextEvent): TextEvent | undefined => {
    if (event.text === "") {
      isDivided = true
      return undefined
    }
    const separated = isDivided && length > 0 ? withLead(event) : event
    isDivided = false
    const { text } = separated
    length += text.length
    tail = text.length > 1 ? text : (tail + text).slice(-2)
    return separated
  }

  /** The CLI does not count the line breaks that were added. */
  const onVoided = (event: NoticeEvent): NoticeEvent => {
    const characters = event.data?.characters
    if (typeof characters !== "number" || characters <= 0) return event
    let left = characters
    let end = length
    for (let lead = leads.at(-1); lead !== undefined; lead = leads.at(-1)) {
      const own = end - lead.at - lead.length
      if (left < own) break
      left -= own
      end = lead.at
      leads.pop()
      isDivided = true
    }
    const remaining = Math.max(0, end - left)
    const voided = Math.max(characters, length - remaining)
    length = remaining
    tail = ""
    return voided === characters ? event : { ...event, data: { ...event.data, characters: voided } }
  }

  /** `isWhole`: a text is a paragraph by itself, and not a piece. */
  return (event: AgentEvent, isWhole = false): AgentEvent | undefined => {
    if (event.parentToolId !== undefined) return event
    if (isWhole) isDivided = true
    if (event.type === "text") return onText(event)
    if (event.type === "notice") return event.kind === "text_voided" ? onVoided(event) : event
    if (dividers.has(event.type)) isDivided = true
    return event
  }
}
