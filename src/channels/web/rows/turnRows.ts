/**
 * The events of one turn → rows. Neighbouring pieces of text become one as long as it is not written; what a row says of
 * the answer's blocks is found when it is.
 */

import type { Block } from "../../../bridge/format/block.ts"
import { blocksOf } from "../../../bridge/format/blocks.ts"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { boundedEvent } from "./boundedEvent.ts"
import type { BlockChange, WebRow } from "./row.ts"

/** In UTF-16 units: a longer one goes on as another at its next line. */
const longest = 96 * 1024

interface Segment {
  text: string
  /** The blocks sent last. */
  told: ReadonlyArray<Block>
  toldJson: ReadonlyArray<string>
}

interface SegmentText {
  readonly segment: number
  readonly text: string
}

interface Segments {
  /** Adds to the present segment; gives where, and all of its text by now. */
  readonly add: (text: string) => SegmentText & { readonly offset: number }
  /** A step: the next text is another segment. */
  readonly step: () => void
  /** The last characters of all of it are void; gives the segments that are shorter now. */
  readonly withdraw: (characters: number) => ReadonlyArray<SegmentText>
  /** The news of a segment with this text; must be called in the order of sending. */
  readonly change: (change: SegmentText) => BlockChange
  /** All of it. */
  readonly text: () => string
}

const isGrown = (before: Block | undefined, now: Block | undefined): string | undefined =>
  before?.t === "code" && now?.t === "code" && before.lang === now.lang && now.text.startsWith(before.text)
    ? now.text.slice(before.text.length)
    : undefined

const makeSegments = (): Segments => {
  const segments: Array<Segment> = [{ text: "", told: [], toldJson: [] }]
  const last = () => {
    const present = segments.at(-1)
    if (present !== undefined) return present
    const first: Segment = { text: "", told: [], toldJson: [] }
    segments.push(first)
    return first
  }
  const step = () => {
    if (last().text !== "") segments.push({ text: "", told: [], toldJson: [] })
  }
  return {
    step,
    add: (text) => {
      if (last().text.length > longest && text.includes("\n")) step()
      const present = last()
      const offset = present.text.length
      present.text += text
      return { segment: segments.length - 1, offset, text: present.text }
    },
    withdraw: (characters) => {
      const changed: Array<SegmentText> = []
      let left = Math.max(0, Math.floor(characters))
      for (let at = segments.length - 1; at >= 0 && left > 0; at--) {
        const segment = segments[at]
        if (segment === undefined || segment.text === "") continue
        const taken = Math.min(left, segment.text.length)
        segment.text = segment.text.slice(0, segment.text.length - taken)
        left -= taken
        changed.push({ segment: at, text: segment.text })
      }
      return changed.reverse()
    },
    change: ({ segment: at, text }) => {
      const segment = segments[at]
      if (segment === undefined) return { segment: at, from: 0, list: [] }
      const now = blocksOf(text)
      const json = now.map((block) => JSON.stringify(block))
      const before = segment.toldJson
      const first = json.findIndex((each, index) => each !== before[index])
      const from = first === -1 ? json.length : first
      const grow =
        from === before.length - 1 && from === now.length - 1 ? isGrown(segment.told[from], now[from]) : undefined
      segment.told = now
      segment.toldJson = json
      return grow === undefined || grow === ""
        ? { segment: at, from, list: now.slice(from) }
        : { segment: at, from, list: [], grow }
    },
    text: () => segments.map(({ text }) => text).join("")
  }
}

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
  readonly offset: number
  text: string
  /** The answer's segment, with all of its text so far. */
  answer: SegmentText | undefined
  isTaken: boolean
}

/** A plan in prose, to be read or approved. */
const planOf = (event: AgentEvent): string | undefined => {
  if (event.type === "permission_request") return event.plan
  return event.type === "plan" ? event.text : undefined
}

export interface TurnRows {
  readonly push: (event: AgentEvent) => ReadonlyArray<Pending>
  /** The text of the answer so far. */
  readonly text: () => string
}

export const makeTurnRows = (turn: string): TurnRows => {
  const segments = makeSegments()
  /** Text beside the answer: its source and length. */
  let aside = { of: "", length: 0 }
  let open: Flow | undefined

  const rowOf = ({ type, parent, text, offset, answer }: Flow): WebRow => ({
    row: "event",
    turn,
    event: { type, text, ...(parent === undefined ? {} : { parentToolId: parent }) },
    offset,
    ...(answer === undefined ? {} : { blocks: segments.change(answer) })
  })

  /** To the row that waits, if it goes on with the same. */
  const add = (flow: Flow): ReadonlyArray<Pending> => {
    const isSame =
      open?.isTaken === false &&
      open.type === flow.type &&
      open.parent === flow.parent &&
      open.answer?.segment === flow.answer?.segment &&
      open.offset + open.text.length === flow.offset
    if (isSame && open !== undefined) {
      open.text += flow.text
      open.answer = flow.answer
      return []
    }
    open = flow
    const take = () => {
      flow.isTaken = true
      return rowOf(flow)
    }
    return [{ take }]
  }

  const delta = ({ type, parentToolId: parent, text }: Delta): ReadonlyArray<Pending> => {
    if (type === "text" && parent === undefined) {
      const { segment, offset, text: all } = segments.add(text)
      return add({ type, parent, offset, text, answer: { segment, text: all }, isTaken: false })
    }
    const of = JSON.stringify([type, parent])
    const offset = aside.of === of ? aside.length : 0
    aside = { of, length: offset + text.length }
    return add({ type, parent, offset, text, answer: undefined, isTaken: false })
  }

  /** Text was withdrawn: the segments are sent again. */
  const voided = (characters: number): ReadonlyArray<Pending> =>
    segments.withdraw(characters).map((change) => ({
      take: () => ({ row: "event", turn, event: { type: "text", text: "" }, blocks: segments.change(change) })
    }))

  return {
    text: segments.text,
    push: (event) => {
      if (event.type === "text" || event.type === "thinking") {
        if (event.type === "thinking" && event.parentToolId === undefined) segments.step()
        return event.text === "" ? [] : delta(event)
      }
      open = undefined
      aside = { of: "", length: 0 }
      if (event.parentToolId === undefined && steps.has(event.type)) segments.step()
      const bounded = boundedEvent(event)
      const plan = planOf(event)
      const planBlocks = plan === undefined || plan === "" ? {} : { plan: blocksOf(plan) }
      const own: Pending = { take: () => ({ row: "event", turn, event: bounded, ...planBlocks }) }
      const isVoid = event.type === "notice" && event.kind === "text_voided" && event.parentToolId === undefined
      const characters = isVoid ? event.data?.characters : undefined
      return typeof characters === "number" ? [own, ...voided(characters)] : [own]
    }
  }
}
