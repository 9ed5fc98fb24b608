/**
 * The events of one turn → rows. Neighbouring pieces of text share a row until it is written; changes of the answer's blocks
 * are computed at that moment. Long outputs, inputs and raw lines are cut, large images left out, but never requests.
 */
import type { Block } from "../../../bridge/format/block.ts"
import { blocksOf } from "../../../bridge/format/blocks.ts"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { eventJson } from "../../../contract/eventJson.ts"
import { imagesWithin } from "../../../contract/imagesWithin.ts"
import { cutAt } from "../../../contract/text/harmless.ts"
import type { BlockChange, WebRow } from "./row.ts"

/** In UTF-16 units: at its next line, a longer segment continues as another one. */
const longest = 96 * 1024

interface Segment {
  text: string
  /** The blocks sent last, and their JSON. */
  sent: ReadonlyArray<Block>
  sentJson: ReadonlyArray<string>
}

interface SegmentText {
  readonly segment: number
  readonly text: string
}

interface Segments {
  /** Appends to the current segment; returns the offset, and the segment's text. */
  readonly add: (text: string) => SegmentText & { readonly offset: number }
  /** Ends the current segment. */
  readonly step: () => void
  /** Removes the last characters; returns the segments that are shorter now. */
  readonly withdraw: (characters: number) => ReadonlyArray<SegmentText>
  /** The changed blocks of a segment with this text; must be called in the order of sending. */
  readonly change: (change: SegmentText) => BlockChange
  readonly text: () => string
}

const growthOf = (before: Block | undefined, now: Block | undefined): string | undefined =>
  before?.t === "code" && now?.t === "code" && before.lang === now.lang && now.text.startsWith(before.text)
    ? now.text.slice(before.text.length)
    : undefined

const makeSegments = (): Segments => {
  let last: Segment = { text: "", sent: [], sentJson: [] }
  const segments = [last]
  const step = () => {
    if (last.text === "") return
    last = { text: "", sent: [], sentJson: [] }
    segments.push(last)
  }
  return {
    step,
    add: (text) => {
      if (last.text.length > longest && text.includes("\n")) step()
      const offset = last.text.length
      last.text += text
      return { segment: segments.length - 1, offset, text: last.text }
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
      const before = segment.sentJson
      const first = json.findIndex((each, index) => each !== before[index])
      const from = first === -1 ? json.length : first
      const grow =
        from === before.length - 1 && from === now.length - 1 ? growthOf(segment.sent[from], now[from]) : undefined
      segment.sent = now
      segment.sentJson = json
      return grow === undefined || grow === ""
        ? { segment: at, from, list: now.slice(from) }
        : { segment: at, from, list: [], grow }
    },
    text: () => segments.map(({ text }) => text).join("")
  }
}

/** A row that is not written yet. */
export interface Pending {
  /** Completes the row; later text begins another one. Must be called once. */
  readonly take: () => WebRow
}

type Delta = Extract<AgentEvent, { readonly type: "text" | "thinking" }>

/** Steps of the agent itself, which end a segment of its text. */
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

  /** Extends the pending row if the text continues it. */
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

  /** Sends segments again after their text was withdrawn. */
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

/** In UTF-16 units. */
const longestOutput = 64 * 1024
const longestText = 16 * 1024
const longestInput = 64 * 1024
const longestEdits = 256 * 1024
const longestRaw = 8 * 1024
/** All images of a result in base64: screenshots, but a page of rows still has many turns. */
const longestImages = 512 * 1024
const longestRow = 768 * 1024

export type PageEvent = { readonly type: string; readonly [name: string]: unknown }

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

/** Cuts long texts in a value. */
const shortened = (value: unknown): unknown => {
  if (typeof value === "string") return cutAt(value, longestText).head
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item)]))
}

const boundedInput = (input: unknown): unknown => {
  if (sizeOf(input) <= longestInput) return input
  const short = shortened(input)
  return sizeOf(short) <= longestInput ? short : {}
}

/** Members that are too long, cut or left out. */
const changes = (event: PageEvent): { readonly [name: string]: unknown } => {
  const { output, input, raw, edits, tools } = event
  const command = event["command"]
  return {
    ...(typeof output === "string" && output.length > longestOutput
      ? { output: cutAt(output, longestOutput).head }
      : {}),
    ...(input !== undefined && sizeOf(input) > longestInput ? { input: boundedInput(input) } : {}),
    ...(raw !== undefined && sizeOf(raw) > longestRaw ? { raw: undefined } : {}),
    ...(edits !== undefined && sizeOf(edits) > longestEdits ? { edits: undefined } : {}),
    ...(tools !== undefined && sizeOf(tools) > longestInput ? { tools: undefined } : {}),
    // The preview of the request says how much is left out, and that it cannot be allowed.
    ...(typeof command === "string" && command.length > longestOutput ? { command: undefined } : {})
  }
}

const boundedWith = (source: AgentEvent, images: number): PageEvent => {
  // Values that are not JSON, or nested too deep, are replaced.
  const whole: PageEvent = JSON.parse(eventJson(imagesWithin(source, images)))
  const { raw, ...visible } = whole
  // The page does not show it for a tool result: without it nothing is cut.
  const event = whole.type === "tool_result" && sizeOf(raw) > longestRaw ? visible : whole
  const cut = changes(event)
  if (Object.keys(cut).length === 0 && sizeOf(event) <= longestRow) return event
  const bounded: PageEvent = { ...event, ...cut, cut: true }
  return sizeOf(bounded) <= longestRow ? bounded : { type: event.type, cut: true }
}

/** An event as the page gets it. */
export const boundedEvent = (source: AgentEvent): PageEvent => {
  const event = boundedWith(source, longestImages)
  return "media" in source && !("media" in event) ? boundedWith(source, 0) : event
}
