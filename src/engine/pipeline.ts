/**
 * stdout → lines → JSON → wire → events: the output of a process as one Stream over whole chunks, for runs and live sessions.
 * The last stage works line by line: the meaning of one may decide whether the next is read.
 */
import { Effect, Stream } from "effect"
import type { Stages } from "../cli/Decoder.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import { type Line, type LineSplitter, makeLineSplitter } from "../process/lines.ts"
import { decoded, parseLine, type ReadLine, stepped } from "./readLine.ts"

/** 64 MiB: an image in a tool result is sent twice in base64, and some CLIs repeat whole files. */
const defaultMaxLineBytes = 64 * 1024 * 1024

export interface PipelineOptions<Output> {
  readonly stdout: Stream.Stream<Uint8Array>
  readonly stages: Stages<Output>
  readonly record?: ((line: string) => void) | undefined
  readonly maxLineBytes?: number | undefined
  readonly onLine: (line: ReadLine<Output>) => void
  /** After the lines of a chunk. */
  readonly onChunk?: () => void
}

/** Completes when stdout has ended and its last line is read. */
export const pipeline = <Output>(options: PipelineOptions<Output>): Effect.Effect<void> =>
  // The CLI's two functions: of a run from `cli/wireDecoder.ts`, of a live session from the conversation.
  options.stages((wire, step) =>
    linesOf(options).pipe(
      Stream.map(parseLine),
      Stream.map(decoded(wire)),
      Stream.map(stepped(step)),
      Stream.runForEachArray((lines) =>
        Effect.sync(() => {
          for (const line of lines) options.onLine(line)
          options.onChunk?.()
        })
      )
    )
  )

/** Reads bytes without a process. */
export const readAll = <Output>(
  stages: Stages<Output>,
  chunks: ReadonlyArray<Uint8Array>,
  maxLineBytes?: number
): ReadonlyArray<Output | AgentEvent> => {
  const all: Array<Output | AgentEvent> = []
  const stdout = Stream.fromIterable(chunks)
  Effect.runSync(pipeline({ stdout, stages, maxLineBytes, onLine: ({ outputs }) => all.push(...outputs()) }))
  return all
}

/** Lines with text on them. Each is recorded, whatever is made of it. */
const linesOf = ({
  stdout,
  maxLineBytes = defaultMaxLineBytes,
  record
}: Pick<PipelineOptions<never>, "stdout" | "maxLineBytes" | "record">) => {
  const lines = Stream.mapAccumArray(stdout, () => makeLineSplitter(maxLineBytes), split, { onHalt: lastLine })
  if (record === undefined) return lines
  return Stream.map(lines, (line) => {
    if (line._tag === "Line") record(line.text)
    return line
  })
}

const split = (splitter: LineSplitter, chunks: ReadonlyArray<Uint8Array>) =>
  [splitter, chunks.flatMap((chunk) => written(splitter.push(chunk)))] as const

const lastLine = (splitter: LineSplitter) =>
  written(splitter.end()).map((line): Line => ({ ...line, isUnfinished: true }))

/** Without blank lines. */
const written = (lines: ReadonlyArray<Line>) => {
  const found: Array<Line> = []
  for (const line of lines) if (line._tag === "Oversize" || line.text.trim() !== "") found.push(line)
  return found
}
