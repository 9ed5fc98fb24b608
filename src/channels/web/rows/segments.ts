/**
 * The answer of a turn while it is written: its text in segments, each between two steps, and what is new of a segment's
 * blocks since it was told last. What is told, put together, is the tree of the whole segment.
 */
import type { Block } from "../../../bridge/format/block.ts"
import { blocksOf } from "../../../bridge/format/blocks.ts"
import type { BlockChange } from "./row.ts"

/** In UTF-16 units: a longer one goes on as another at its next line. */
const longest = 96 * 1024

interface Segment {
  text: string
  /** What was told of it last. */
  told: ReadonlyArray<Block>
  toldJson: ReadonlyArray<string>
}

export interface SegmentText {
  readonly segment: number
  readonly text: string
}

export interface Segments {
  /** Adds to the present segment; gives where, and all of its text by now. */
  readonly add: (text: string) => SegmentText & { readonly offset: number }
  /** A step: the next text is another segment. */
  readonly step: () => void
  /** The last characters of all of it are void; gives the segments that are shorter now. */
  readonly withdraw: (characters: number) => ReadonlyArray<SegmentText>
  /** What is new of a segment with such a text: to be asked in the order in which it is told. */
  readonly change: (given: SegmentText) => BlockChange
  /** All of it. */
  readonly text: () => string
}

const isGrown = (before: Block | undefined, now: Block | undefined): string | undefined =>
  before?.t === "code" && now?.t === "code" && before.lang === now.lang && now.text.startsWith(before.text)
    ? now.text.slice(before.text.length)
    : undefined

export const makeSegments = (): Segments => {
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
