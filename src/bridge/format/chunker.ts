/** A text that arrives in parts → chunks, cut at the limit or, with `minimum`, after a paragraph; a pure step. */
import { defaultLimit } from "./cutMarkdown.ts"
import { spanAt } from "./cutPoint.ts"
import { type MarkdownPiece, makeCutting, nextPiece, type Opening, openedAgain } from "./markdownPieces.ts"

export interface ChunkerOptions {
  /** Length of a chunk, in UTF-16 units. Default: 4,000. */
  readonly limit?: number
  /** From how many units on a chunk ends with the next paragraph. Default: only at the limit. */
  readonly minimum?: number
}

export interface Chunk {
  /** The received text: joined they are the input, but for white space at its end. */
  readonly text: string
  /** With the fences of a block of code that was cut. */
  readonly markdown: string
}

interface ChunkerState {
  readonly text: string
  readonly inside?: Opening
}

export interface Chunker {
  readonly start: ChunkerState
  readonly step: (state: ChunkerState, delta: string) => readonly [ChunkerState, ReadonlyArray<Chunk>]
  /** The remaining chunks at the end. */
  readonly end: (state: ChunkerState) => ReadonlyArray<Chunk>
}

const chunkOf = ({ before, text, after }: MarkdownPiece): Chunk => ({ text, markdown: before + text + after })

/** The second half of the last character may still come. */
const arrived = (text: string) => (/[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length)

export const makeChunker = ({ limit: requested = defaultLimit, minimum }: ChunkerOptions = {}): Chunker => {
  const limit = Math.max(1, requested)

  /** Behind the last paragraph that ends outside of code. */
  const endOfParagraph = ({ text, inside }: ChunkerState): number => {
    if (minimum === undefined || text.length < minimum) return 0
    const { spans } = makeCutting(text, limit, inside)
    let at = text.lastIndexOf("\n\n")
    for (let code = spanAt(spans, at); code !== undefined; code = spanAt(spans, at)) {
      at = code.start === 0 ? -1 : text.lastIndexOf("\n\n", code.start - 1)
    }
    return at + 2 >= Math.max(2, minimum) ? at + 2 : 0
  }

  const next = (state: ChunkerState): MarkdownPiece | undefined => {
    const { text, inside } = state
    const before = openedAgain(inside, limit)
    const furthest = Math.max(1, limit - before.length)
    if (arrived(text) > furthest) return nextPiece(makeCutting(text, limit, inside), 0, furthest, inside)
    const end = endOfParagraph(state)
    return end === 0 ? undefined : { before, text: text.slice(0, end), after: "" }
  }

  const step: Chunker["step"] = (state, delta) => {
    const chunks: Array<Chunk> = []
    let now: ChunkerState = { ...state, text: state.text + delta }
    if (!delta.includes("\n") && now.text.length <= limit / 2) return [now, chunks]
    for (let piece = next(now); piece !== undefined; piece = next(now)) {
      chunks.push(chunkOf(piece))
      const text = now.text.slice(piece.text.length)
      now = piece.inside === undefined ? { text } : { text, inside: piece.inside }
    }
    return [now, chunks]
  }

  const end: Chunker["end"] = ({ text, inside }) =>
    text.trim() === "" ? [] : [chunkOf({ before: openedAgain(inside, limit), text, after: "" })]

  return { start: { text: "" }, step, end }
}
