/**
 * Text of the model in one turn, piece by piece, each only once (0.169.0). Deltas come first; the completed item is the
 * authority. Two messages are separated by a blank line, which the later one adds. A repeated request may print the
 * same again under a new id: then messages are held until they are whole, and repeated ones are left out.
 */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { makeReplay } from "../run/replay.ts"

type Kind = "text" | "thinking"

interface Saying {
  readonly kind: Kind
  readonly id: string
  /** Characters before its own: the blank line. */
  lead: number
  given: string
  part: number
  isCut: boolean
}

export interface Speech {
  readonly delta: (kind: Kind, id: string, delta: string, part?: number) => ReadonlyArray<AgentEvent>
  readonly completed: (kind: Kind, id: string, text: string) => ReadonlyArray<AgentEvent>
  /** The model's request broke and is repeated: a message in the middle is void. */
  readonly retried: () => ReadonlyArray<AgentEvent>
  /** A text was steered in: an unfinished message stays as it is. */
  readonly cut: () => void
  /** A text was steered in, or a tool was called: nothing before it is repeated. */
  readonly forget: () => void
}

const blankLine = "\n\n"

export const makeSpeech = (): Speech => {
  const replay = makeReplay()
  const open = new Map<string, Saying>()
  let hasText = false
  let saidCount = 0
  let isHeld = false

  const sayingOf = (kind: Kind, id: string) => {
    const known = open.get(id)
    if (known !== undefined) return known
    const saying: Saying = { kind, id, lead: 0, given: "", part: 0, isCut: false }
    open.set(id, saying)
    return saying
  }

  const give = (saying: Saying, text: string): ReadonlyArray<AgentEvent> => {
    if (text === "") return []
    const isFirst = saying.given === ""
    saying.given += text
    if (saying.kind === "thinking") return [{ type: "thinking", text }]
    const lead = isFirst && hasText ? blankLine : ""
    saying.lead += lead.length
    hasText = true
    return [{ type: "text", text: lead + text }]
  }

  const withdrawn = ({ kind, lead, given, isCut }: Saying): ReadonlyArray<AgentEvent> => {
    if (kind === "thinking" || given === "" || isCut) return []
    const characters = lead + given.length
    hasText = lead > 0
    const message = "The model's answer broke off and is asked for again"
    return [{ type: "notice", kind: "text_voided", message, data: { characters } }]
  }

  const rest = (saying: Saying, text: string): ReadonlyArray<AgentEvent> => {
    if (text.startsWith(saying.given)) return give(saying, text.slice(saying.given.length))
    if (saying.kind === "thinking") return []
    const voided = withdrawn(saying)
    return [...voided, ...give({ ...saying, lead: 0, given: "" }, text)]
  }

  return {
    delta: (kind, id, delta, part = 0) => {
      if (isHeld) return []
      const saying = sayingOf(kind, id)
      const gap = part > saying.part && saying.given !== "" ? blankLine : ""
      saying.part = Math.max(saying.part, part)
      return give(saying, gap + delta)
    },
    completed: (kind, id, text) => {
      const saying = sayingOf(kind, id)
      open.delete(id)
      const isNew = replay.isNew(`${kind} ${text}`)
      saidCount += 1
      if (!isNew) return []
      isHeld = false
      return rest(saying, text)
    },
    retried: () => {
      const voided = [...open.values()].flatMap(withdrawn)
      open.clear()
      replay.retry()
      isHeld = saidCount > 0
      return voided
    },
    cut: () => {
      for (const saying of open.values()) saying.isCut = true
    },
    forget: () => {
      replay.forget()
      isHeld = false
      saidCount = 0
    }
  }
}
