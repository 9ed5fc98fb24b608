/** A stream of bytes → the stream of its lines. */
import { Stream } from "effect"
import { type Line, makeLineSplitter } from "./lines.ts"

export const linesOf = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  maxLineBytes: number
): Stream.Stream<Line, E, R> =>
  Stream.suspend(() => {
    const splitter = makeLineSplitter(maxLineBytes)
    return Stream.concat(
      Stream.flatMap(bytes, (chunk) => Stream.fromIterable(splitter.push(chunk))),
      Stream.suspend(() => Stream.fromIterable(splitter.end()))
    )
  })
