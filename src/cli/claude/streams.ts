/**
 * Claude Code tells the main thread's text and thinking twice: as deltas, then whole. This keeps what was given as
 * deltas, so that the whole brings only what is missing and a stream that was given up can be withdrawn (2.1.328).
 */

export type StreamedKind = "text" | "thinking"

interface StreamedBlock {
  readonly index: number
  readonly kind: StreamedKind
  readonly given: string
  /** Its whole has come. */
  readonly settled: boolean
}

interface StreamedMessage {
  readonly id: string
  readonly blocks: ReadonlyArray<StreamedBlock>
}

export interface Streams {
  readonly messages: ReadonlyArray<StreamedMessage>
  /** Characters (UTF-16 code units) of main-thread text that were given and still stand. */
  readonly textLength: number
}

/** A whole can come after the next message has begun; more than a few messages late was never seen. */
const keptMessages = 4

export const empty: Streams = { messages: [], textLength: 0 }

const withMessage = (streams: Streams, id: string, blocks: StreamedMessage["blocks"], textLength: number): Streams => {
  const others = streams.messages.filter((message) => message.id !== id)
  return { messages: [...others.slice(1 - keptMessages), { id, blocks }], textLength }
}

const blocksOf = (streams: Streams, id: string) => streams.messages.find((message) => message.id === id)?.blocks ?? []

const lengthOf = (kind: StreamedKind, text: string) => (kind === "text" ? text.length : 0)

/** A delta of block `index` of message `id` is given. */
export const give = (streams: Streams, id: string, index: number, kind: StreamedKind, text: string): Streams => {
  const blocks = blocksOf(streams, id)
  const at = blocks.findIndex((block) => block.index === index)
  const before = blocks[at]
  const next =
    before === undefined
      ? [...blocks, { index, kind, given: text, settled: false }]
      : blocks.with(at, { ...before, given: before.given + text })
  return withMessage(streams, id, next, streams.textLength + lengthOf(kind, text))
}

/** An empty block can lack its whole, so the order alone does not tell whose whole it is. */
const findBlock = (blocks: StreamedMessage["blocks"], kind: StreamedKind, whole: string) => {
  const isOpen = (block: StreamedBlock) => block.kind === kind && !block.settled
  const fits: ReadonlyArray<(block: StreamedBlock) => boolean> = [
    (block) => isOpen(block) && block.given === whole,
    (block) => isOpen(block) && block.given !== "" && whole.startsWith(block.given),
    isOpen
  ]
  return fits.map((fit) => blocks.findIndex(fit)).find((at) => at !== -1) ?? -1
}

export interface Settled {
  readonly streams: Streams
  /** Characters of text to withdraw before `missing` is given. */
  readonly voided: number
  readonly missing: string
}

/** The whole of the next block of this kind has come: what of it was not given yet? */
export const settle = (streams: Streams, id: string, kind: StreamedKind, whole: string): Settled => {
  const blocks = blocksOf(streams, id)
  const at = findBlock(blocks, kind, whole)
  const block = blocks[at]
  if (block === undefined) {
    return {
      streams: { ...streams, textLength: streams.textLength + lengthOf(kind, whole) },
      voided: 0,
      missing: whole
    }
  }
  const settled = (given: string, textLength: number) =>
    withMessage(streams, id, blocks.with(at, { ...block, given, settled: true }), textLength)
  if (whole.startsWith(block.given)) {
    const missing = whole.slice(block.given.length)
    return { streams: settled(whole, streams.textLength + lengthOf(kind, missing)), voided: 0, missing }
  }
  const isLastMessage = streams.messages.at(-1)?.id === id
  const isLastText = kind === "text" && isLastMessage && !blocks.slice(at + 1).some((later) => later.kind === "text")
  if (!isLastText) return { streams: settled(block.given, streams.textLength), voided: 0, missing: "" }
  const textLength = streams.textLength - block.given.length + whole.length
  return { streams: settled(whole, textLength), voided: block.given.length, missing: whole }
}

/** The stream of message `id` was given up: its blocks from index `from` on are void. */
export const abandon = (streams: Streams, id: string, from: number): { streams: Streams; voided: number } => {
  const blocks = blocksOf(streams, id)
  const voided = blocks
    .filter((block) => block.index >= from)
    .reduce((sum, block) => sum + lengthOf(block.kind, block.given), 0)
  const kept = blocks.filter((block) => block.index < from)
  return { streams: withMessage(streams, id, kept, streams.textLength - voided), voided }
}
