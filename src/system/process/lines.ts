/** Bytes → lines, whatever the chunking. A line over the limit is replaced by its size and head. */
import { Array as Arr, Cause, Effect, Pull, Stream } from "effect"

type Lines<E> = Pull.Pull<Arr.NonEmptyReadonlyArray<Line>, E>

/** A stream of bytes → the stream of its lines, a chunk of lines for a chunk of bytes. */
export const linesOf = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  maxLineBytes: number,
  { skipBlank = false }: { readonly skipBlank?: boolean } = {}
): Stream.Stream<Line, E, R> =>
  Stream.transformPull(bytes, (pull) =>
    Effect.sync(() => {
      const splitter = makeLineSplitter(maxLineBytes)
      const emit = (all: ReadonlyArray<Line>, otherwise: Lines<E>): Lines<E> => {
        const lines = skipBlank && all.some(isBlank) ? all.filter((line) => !isBlank(line)) : all
        return Arr.isReadonlyArrayNonEmpty(lines) ? Effect.succeed(lines) : otherwise
      }
      const next: Lines<E> = Pull.matchEffect(pull, {
        // A chunk that completes no line is followed by the next one.
        onSuccess: (chunks) =>
          emit(chunks.length === 1 ? splitter.push(chunks[0]) : chunks.flatMap(splitter.push), next),
        onDone: () =>
          emit(
            splitter.end().map((line) => ({ ...line, isUnfinished: true })),
            Cause.done()
          ),
        onFailure: Effect.failCause
      })
      return next
    })
  )

const isBlank = (line: Line) => line._tag === "Line" && line.text.trim() === ""

export type Line = (
  | { readonly _tag: "Line"; readonly text: string }
  | { readonly _tag: "Oversize"; readonly bytes: number; readonly head: string }
) & {
  /** The bytes ended before its newline. */
  readonly isUnfinished?: boolean
}

export interface LineSplitter {
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Line>
  readonly end: () => ReadonlyArray<Line>
}

const headLength = 200

/** UTF-8 takes at most three bytes for a UTF-16 code unit. */
const mostBytes = (length: number) => 3 * length

export const makeLineSplitter = (maxLineBytes: number): LineSplitter => {
  const decoder = new TextDecoder()
  // The unfinished line. Its pieces are joined once, so that a line of many chunks costs no more than its length.
  let pieces: Array<string> = []
  let length = 0
  // Bytes of the first pieces, counted only once the line may be too long: counting all costs a tenth of a long line.
  let bytes = 0
  let counted = 0
  let head: string | undefined

  const keep = (piece: string) => {
    if (piece === "") return
    pieces.push(piece)
    length += piece.length
    if (mostBytes(length) <= maxLineBytes) return
    for (const uncounted of pieces.slice(counted)) bytes += Buffer.byteLength(uncounted)
    counted = pieces.length
    if (bytes <= maxLineBytes) return
    head ??= pieces.join("").slice(0, headLength)
    pieces = []
    counted = 0
  }

  const finish = (): Line => {
    const line: Line = head === undefined ? { _tag: "Line", text: pieces.join("") } : { _tag: "Oversize", bytes, head }
    pieces = []
    length = 0
    bytes = 0
    counted = 0
    head = undefined
    return line
  }

  const split = (text: string): ReadonlyArray<Line> => {
    const lines: Array<Line> = []
    let from = 0
    for (let newline = text.indexOf("\n"); newline !== -1; newline = text.indexOf("\n", from)) {
      const piece = text.slice(from, newline)
      from = newline + 1
      // The common case: the line begins and ends in this chunk.
      if (length === 0 && mostBytes(piece.length) <= maxLineBytes) {
        lines.push({ _tag: "Line", text: piece })
        continue
      }
      keep(piece)
      lines.push(finish())
    }
    keep(text.slice(from))
    return lines
  }

  return {
    push: (chunk) => split(decoder.decode(chunk, { stream: true })),
    end: () => {
      const lines = split(decoder.decode())
      return length === 0 ? lines : [...lines, finish()]
    }
  }
}
