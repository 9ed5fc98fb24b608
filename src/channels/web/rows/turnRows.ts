/**
 * The events of one turn → rows. Neighbouring pieces of text become one as long as it is not written; what a row says of
 * the answer's blocks is found when it is.
 */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { boundedEvent } from "./boundedEvent.ts"
import type { WebRow } from "./row.ts"
import { makeSegments } from "./segments.ts"

/** A row that waits to be written. */
export interface Pending {
  /** Once: what is added afterwards is another row. */
  readonly take: () => WebRow
}

type Delta = Extract<AgentEvent, { readonly type: "text" | "thinking" }>

/** Steps of the agent itself, between which its text is one segment. */
const steps: ReadonlySet<AgentEvent["type"]> = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "plan",
  "permission_request",
  "question",
  "error"
])

interface Flow {
  readonly type: Delta["type"]
  readonly parent: string | undefined
  readonly segment: number
  text: string
  isTaken: boolean
}

export interface TurnRows {
  readonly push: (event: AgentEvent) => ReadonlyArray<Pending>
  /** The text of the answer so far. */
  readonly text: () => string
}

export const makeTurnRows = (turn: string): TurnRows => {
  const segments = makeSegments()
  /** Characters of the thinking that goes on, by what it is of. */
  let thought = { parent: "", length: 0 }
  let open: Flow | undefined

  const rowOf = ({ type, parent, segment, text }: Flow, offset: number): WebRow => ({
    row: "event",
    turn,
    event: { type, text, ...(parent === undefined ? {} : { parentToolId: parent }) },
    offset,
    ...(type === "text" && parent === undefined ? { blocks: segments.change(segment) } : {})
  })

  const begin = (type: Delta["type"], parent: string | undefined, segment: number, offset: number, text: string) => {
    const flow: Flow = { type, parent, segment, text, isTaken: false }
    open = flow
    const take = () => {
      flow.isTaken = true
      return rowOf(flow, offset)
    }
    return [{ take }]
  }

  const delta = ({ type, parentToolId: parent, text }: Delta): ReadonlyArray<Pending> => {
    if (type === "text" && parent === undefined) {
      const { segment, offset } = segments.add(text)
      const isSame = open?.type === "text" && open.parent === undefined && open.segment === segment && !open.isTaken
      if (!isSame) return begin(type, parent, segment, offset, text)
    } else {
      const isOn = thought.parent === `${type} ${parent}`
      const offset = isOn ? thought.length : 0
      thought = { parent: `${type} ${parent}`, length: offset + text.length }
      const isSame = open?.type === type && open.parent === parent && !open.isTaken && isOn
      if (!isSame) return begin(type, parent, 0, offset, text)
    }
    if (open !== undefined) open.text += text
    return []
  }

  /** What was said is taken back: the segments are told anew. */
  const voided = (characters: number): ReadonlyArray<Pending> =>
    segments.withdraw(characters).map((segment) => {
      const blocks = segments.change(segment)
      return { take: () => ({ row: "event", turn, event: { type: "text", text: "" }, blocks }) }
    })

  return {
    text: segments.text,
    push: (event) => {
      if (event.type === "text" || event.type === "thinking") {
        if (event.type === "thinking" && event.parentToolId === undefined) segments.step()
        return event.text === "" ? [] : delta(event)
      }
      open = undefined
      thought = { parent: "", length: 0 }
      if (event.parentToolId === undefined && steps.has(event.type)) segments.step()
      const bounded = boundedEvent(event)
      const own: Pending = { take: () => ({ row: "event", turn, event: bounded }) }
      const isVoid = event.type === "notice" && event.kind === "text_voided" && event.parentToolId === undefined
      const characters = isVoid ? event.data?.characters : undefined
      return typeof characters === "number" ? [own, ...voided(characters)] : [own]
    }
  }
}
