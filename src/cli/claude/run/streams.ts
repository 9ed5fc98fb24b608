/**
 * Claude Code prints the main thread's text and thinking twice: as deltas, then whole. This keeps the text of the deltas, so
 * that the whole adds only the missing part and the text of an abandoned stream can be withdrawn (2.1.328). Changed in place:
 * most lines are deltas, and a copy for each would cost more than all the rest.
 */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { type GrowingText, makeGrowingText } from "../../../contract/text/growingText.ts"
import { textCopy } from "../../../contract/text/jsonLine.ts"
import type { StreamEvent } from "../wire.ts"

const kinds = ["text", "thinking"] as const
export type StreamedKind = (typeof kinds)[number]

interface StreamedBlock {
  readonly index: number
  readonly kind: StreamedKind
  given: GrowingText
  /** Its whole has come. */
  settled: boolean
}

interface StreamedMessage {
  readonly id: string
  blocks: Array<StreamedBlock>
}

export interface Streams {
  /** The beginning of a block of message `id`, or a delta of it. */
  readonly delta: (event: StreamEvent["event"], id: string) => ReadonlyArray<AgentEvent>
  /** Adds to a block of message `id`. */
  readonly add: (kind: StreamedKind, text: string, index: number, id: string) => ReadonlyArray<AgentEvent>
  /** The whole of the next block of this kind has come. Returns the part of it that is missing. */
  readonly settle: (id: string, kind: StreamedKind, whole: string) => Settled
  /** Voids the blocks of an abandoned message from index `from` on. Returns their characters. */
  readonly abandon: (id: string, from: number) => number
  /** The same for the blocks whose whole has not come. */
  readonly abandonOpen: (id: string) => number
  /** Adds text that belongs to no message. */
  readonly addText: (text: string) => void
  /** Characters (UTF-16 code units) of main-thread text that are still valid. */
  readonly textLength: () => number
  /** Starts the count of text anew. */
  readonly forgetText: () => void
}

interface Settled {
  /** Characters of text to withdraw before `missing`. */
  readonly voided: number
  readonly missing: string
}

/** A whole can come after the next messages have started. */
const keptMessages = 4

const lengthOf = (kind: StreamedKind, text: string) => (kind === "text" ? text.length : 0)

/** An empty block can lack its whole, so order alone does not identify the block of a whole. */
const findBlock = (blocks: ReadonlyArray<StreamedBlock>, kind: StreamedKind, whole: string) => {
  const isOpen = (block: StreamedBlock) => block.kind === kind && !block.settled
  return (
    blocks.find((block) => isOpen(block) && block.given.text() === whole) ??
    blocks.find((block) => isOpen(block) && block.given.text() !== "" && whole.startsWith(block.given.text())) ??
    blocks.find(isOpen)
  )
}

export const makeStreams = (): Streams => {
  /** Least recently used first. */
  const messages: Array<StreamedMessage> = []
  let textLength = 0

  /** Nearly always the last one. */
  const findMessage = (id: string) => {
    const last = messages.at(-1)
    return last?.id === id ? last : messages.find((message) => message.id === id)
  }

  const findIndexed = (blocks: ReadonlyArray<StreamedBlock>, index: number) => {
    const last = blocks.at(-1)
    return last?.index === index ? last : blocks.findLast((block) => block.index === index)
  }

  const touch = (message: StreamedMessage) => {
    if (messages.at(-1) === message) return
    const at = messages.indexOf(message)
    if (at !== -1) messages.splice(at, 1)
    messages.push(message)
    if (messages.length > keptMessages) messages.shift()
  }

  const add = (kind: StreamedKind, text: string, index: number, id: string): ReadonlyArray<AgentEvent> => {
    const message = findMessage(id) ?? { id: textCopy(id), blocks: [] }
    touch(message)
    textLength += lengthOf(kind, text)
    const block = findIndexed(message.blocks, index)
    if (block === undefined) message.blocks.push({ index, kind, given: makeGrowingText(text), settled: false })
    else block.given.add(text)
    return text === "" ? [] : [{ type: kind, text }]
  }

  const settleBlock = (message: StreamedMessage, block: StreamedBlock, whole: string): Settled => {
    const { blocks } = message
    const { kind } = block
    const input = block.given.text()
    const isLast = messages.at(-1) === message && blocks.findLast((later) => later.kind === "text") === block
    touch(message)
    block.settled = true
    const isContinued = whole.startsWith(input)
    if (!isContinued && !isLast) return { voided: 0, missing: "" }
    block.given = makeGrowingText(whole)
    textLength += lengthOf(kind, whole) - lengthOf(kind, input)
    return isContinued ? { voided: 0, missing: whole.slice(input.length) } : { voided: input.length, missing: whole }
  }

  /** Returns the characters of removed text. */
  const forget = (id: string, isVoid: (block: StreamedBlock) => boolean) => {
    const message = findMessage(id)
    if (message === undefined) return 0
    touch(message)
    const voided = message.blocks
      .filter(isVoid)
      .reduce((sum, { kind, given: input }) => sum + lengthOf(kind, input.text()), 0)
    message.blocks = message.blocks.filter((block) => !isVoid(block))
    textLength -= voided
    return voided
  }

  return {
    delta: (event, id) => {
      const part = event.delta ?? event.content_block
      const kind = kinds.find((kind) => part?.type?.startsWith(kind))
      const text = kind && part?.[kind]
      return kind === undefined || text == null ? [] : add(kind, text, event.index ?? 0, id)
    },
    add,
    settle: (id, kind, whole) => {
      const message = findMessage(id)
      const block = message === undefined ? undefined : findBlock(message.blocks, kind, whole)
      if (message !== undefined && block !== undefined) return settleBlock(message, block, whole)
      textLength += lengthOf(kind, whole)
      return { voided: 0, missing: whole }
    },
    abandon: (id, from) => forget(id, ({ index }) => index >= from),
    abandonOpen: (id) => forget(id, ({ settled }) => !settled),
    addText: (text) => {
      textLength += text.length
    },
    textLength: () => textLength,
    forgetText: () => {
      textLength = 0
    }
  }
}
