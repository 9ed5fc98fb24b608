/** The lines of stdin with their numbers, as an editor counts them. The text of a line that is too long is dropped. */
import { Stdio, Stream } from "effect"
import { linesOf } from "../../system/process/lineStream.ts"
import type { Line } from "../../system/process/lines.ts"

/** In bytes. */
export const maxLineBytes = 16 * 1024 * 1024

export interface StdinLine {
  readonly number: number
  /** Undefined for a line that was too long. */
  readonly text: string | undefined
}

const textOf = (line: Line) => (line._tag === "Line" ? line.text.replace(/\r$/, "") : undefined)

export const allLines = Stream.unwrap(Stdio.Stdio.useSync(({ stdin }) => linesOf(stdin, maxLineBytes))).pipe(
  Stream.zipWithIndex,
  Stream.map(([line, index]): StdinLine => ({ number: index + 1, text: textOf(line) }))
)

/** Without blank lines, which still count. */
export const stdinLines = Stream.filter(allLines, ({ text }) => text === undefined || text.trim() !== "")
