/**
 * Text of the model in one turn, in pieces, each only once (0.169.0). Deltas come first; the completed item is the authority.
 * Messages are separated by a blank line, which the later one adds. A repeated request may print the same again under a new
 * id: then messages are held until they are whole, and repeated ones are left out.
 */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { makeReplay } from "../run/messages.ts"

type Kind = "text" | "thinking"

interface Message {
  readonly kind: Kind
  readonly id: string
  /** Length of the blank line before it. */
  lead: number
  given: string
  part: number
  isCut: boolean
}

export interface Speech {
  readonly delta: (kind: Kind, id: string, delta: string, part?: number) => ReadonlyArray<AgentEvent>
  readonly completed: (kind: Kind, id: string, text: string) => ReadonlyArray<AgentEvent>
  /** The model's request broke and is repeated: unfinished messages are void. */
  readonly retried: () => ReadonlyArray<AgentEvent>
  /** A text was steered in: unfinished messages stay as they are. */
  readonly cut: () => void
  /** A text was steered in, or a tool was called: nothing before it is repeated. */
  readonly forget: () => void
}

const blankLine = "\n\n"

export const makeSpeech = (): Speech => {
  const replay = makeReplay()
  const open = new Map<string, Message>()
  let hasText = false
  let messageCount = 0
  let isHeld = false

  const messageOf = (kind: Kind, id: string) => {
    const known = open.get(id)
    if (known !== undefined) return known
    const message: Message = { kind, id, lead: 0, given: "", part: 0, isCut: false }
    open.set(id, message)
    return message
  }

  const give = (message: Message, text: string): ReadonlyArray<AgentEvent> => {
    if (text === "") return []
    const isFirst = message.given === ""
    message.given += text
    if (message.kind === "thinking") return [{ type: "thinking", text }]
    const lead = isFirst && hasText ? blankLine : ""
    message.lead += lead.length
    hasText = true
    return [{ type: "text", text: lead + text }]
  }

  const withdrawn = ({ kind, lead, given: sent, isCut }: Message): ReadonlyArray<AgentEvent> => {
    if (kind === "thinking" || sent === "" || isCut) return []
    const characters = lead + sent.length
    hasText = lead > 0
    const message = "The model's answer broke off and is asked for again"
    return [{ type: "notice", kind: "text_voided", message, data: { characters } }]
  }

  const rest = (message: Message, text: string): ReadonlyArray<AgentEvent> => {
    if (text.startsWith(message.given)) return give(message, text.slice(message.given.length))
    if (message.kind === "thinking") return []
    const voided = withdrawn(message)
    return [...voided, ...give({ ...message, lead: 0, given: "" }, text)]
  }

  return {
    delta: (kind, id, delta, part = 0) => {
      if (isHeld) return []
      const message = messageOf(kind, id)
      const gap = part > message.part && message.given !== "" ? blankLine : ""
      message.part = Math.max(message.part, part)
      return give(message, gap + delta)
    },
    completed: (kind, id, text) => {
      const message = messageOf(kind, id)
      open.delete(id)
      const isNew = replay.isNew(`${kind} ${text}`)
      messageCount += 1
      if (!isNew) return []
      isHeld = false
      return rest(message, text)
    },
    retried: () => {
      const voided = [...open.values()].flatMap(withdrawn)
      open.clear()
      replay.retry()
      isHeld = messageCount > 0
      return voided
    },
    cut: () => {
      for (const message of open.values()) message.isCut = true
    },
    forget: () => {
      replay.forget()
      isHeld = false
      messageCount = 0
    }
  }
}
