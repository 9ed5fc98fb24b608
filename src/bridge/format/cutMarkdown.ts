/** Markdown → pieces, for channels that read Markdown themselves. Joined without the added fences they are the text. */
import { withNumbers } from "./cut.ts"
import { spanAt } from "./cutPoint.ts"
import type { Fence } from "./fences.ts"
import {
  type Cutting,
  closedBehind,
  type MarkdownPiece,
  makeCutting,
  nextPiece,
  openedAgain
} from "./markdownPieces.ts"

export interface CutMarkdownOptions {
  /** Stands whole below the last piece; as a piece of its own, where it is longer than half of one. */
  readonly tail?: string
  /** `(1/3)` below each piece, where there are several. Default: false. */
  readonly numbered?: boolean
}

export const defaultLimit = 4_000

const textOfPiece = ({ before, text, after }: MarkdownPiece): string => before + text + after

/** The block of code without a closing fence. */
const unclosed = ({ source, fences }: Cutting): Fence | undefined => {
  const last = spanAt(fences, source.length - 1)
  return last?.to === last?.end ? last : undefined
}

const isBlank = (piece: MarkdownPiece) => textOfPiece(piece).trim() === ""

const onItsOwn = (text: string): MarkdownPiece => ({ before: "", text: "", after: text })

/** `below`: what stands below the last piece. `isClosed`: a block of code is closed at the end, too. */
export const markdownPieces = (cutting: Cutting, below = "", isClosed = false): ReadonlyArray<MarkdownPiece> => {
  const { source, limit } = cutting
  const open = isClosed ? unclosed(cutting) : undefined
  const pieces: Array<MarkdownPiece> = []

  const lastPiece = (before: string, text: string): MarkdownPiece => ({
    before,
    text,
    after: open === undefined ? "" : closedBehind(text, open, limit)
  })
  const add = (piece: MarkdownPiece) => {
    if (!isBlank(piece)) pieces.push(piece)
  }

  let inside: MarkdownPiece["inside"]
  for (let from = 0; from < source.length; ) {
    const before = openedAgain(inside, limit)
    const furthest = from + Math.max(1, limit - before.length)
    const last = furthest < source.length ? undefined : lastPiece(before, source.slice(from))
    const isRest = last !== undefined && textOfPiece(last).length <= limit
    if (isRest && below !== "") {
      const ended = { ...last, text: last.after === "" ? last.text.trimEnd() : last.text, after: last.after + below }
      if (textOfPiece(ended).length <= limit) return [...pieces, ended]
    }
    const piece = nextPiece(cutting, from, Math.max(from + 1, Math.min(furthest, source.length - 1)), inside)
    // For the tail's sake no line is cut.
    if (isRest && (below === "" || (piece.kind !== "paragraph" && piece.kind !== "line"))) {
      add(last)
      break
    }
    add(piece)
    inside = piece.inside
    from = piece.end
  }
  return below === "" ? pieces : [...pieces, onItsOwn(below.trimStart())]
}

export const cutMarkdown = (
  markdown: string,
  limit: number = defaultLimit,
  options: CutMarkdownOptions = {}
): ReadonlyArray<string> => {
  const { tail = "" } = options

  const run = (mark: string): ReadonlyArray<MarkdownPiece> => {
    const room = Math.max(1, 2 * mark.length <= limit ? limit - mark.length : limit)
    const cutting = makeCutting(markdown, room)
    if (tail.trim() === "") return markdownPieces(cutting, "", mark !== "")
    if (2 * (tail.length + 2) <= room) return markdownPieces(cutting, `\n\n${tail}`, true)
    const last = tail.length <= limit ? [onItsOwn(tail)] : markdownPieces(makeCutting(tail, room))
    return [...markdownPieces(cutting, "", mark !== ""), ...last]
  }
  const withMark = (piece: MarkdownPiece, mark: string) => {
    const marked = onItsOwn(textOfPiece(piece).trimEnd() + mark)
    return textOfPiece(marked).length <= limit ? marked : piece
  }
  return (options.numbered === true ? withNumbers(run, withMark) : run("")).map(textOfPiece)
}
