/**
 * stdout → lines → JSON → wire form (Schema) → events, for runs and live sessions: one Stream over whole chunks, in one fiber
 * for each process. The last stage goes line by line, and one line all the way before the next: its meaning may decide
 * whether the next one is read.
 */
import { Array as Arr, Effect, Stream } from "effect"
import type { Stages } from "../../cli/Decoder.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { type Line, linesOf } from "../../system/process/lines.ts"
import { decoding, type ReadLine } from "./readLine.ts"

/** 64 MiB: an image in a tool result is sent twice in base64, and some CLIs repeat whole files. */
const defaultMaxLineBytes = 64 * 1024 * 1024

export interface PipelineOptions<Output> {
  readonly stdout: Stream.Stream<Uint8Array>
  readonly stages: Stages<Output>
  readonly record?: ((line: string) => void) | undefined
  readonly maxLineBytes?: number | undefined
  readonly onLine: (line: ReadLine<Output>) => void
  /** Called after the lines of a chunk, if it has any. */
  readonly onChunk?: () => void
}

/** False to parse every line: for tests, and to find out whether a glance is at fault. */
const mayGlance = Effect.map(HostEnvironment, (host) => host["REINS_GLANCE"] !== "0")

/** Completes when stdout has ended and its last line is delivered. */
export const pipeline = <Output>(options: PipelineOptions<Output>): Effect.Effect<void> =>
  Effect.flatMap(mayGlance, (isGlancing) =>
    options.stages((wire, step, glance) =>
      linesOf(options.stdout, options.maxLineBytes ?? defaultMaxLineBytes, { skipBlank: true }).pipe(
        recorded(options.record),
        Stream.mapArray(Arr.map(decoding(wire, step, isGlancing ? glance : undefined))),
        Stream.runForEachArray((lines) => Effect.sync(() => deliver(lines, options)))
      )
    )
  )

/** Every line is recorded as printed, whether it can be read or not. */
const recorded =
  (record: ((line: string) => void) | undefined) =>
  (lines: Stream.Stream<Line>): Stream.Stream<Line> => {
    if (record === undefined) return lines
    return Stream.mapArray(lines, (chunk) => {
      for (const line of chunk) if (line._tag === "Line") record(line.text)
      return chunk
    })
  }

const deliver = <Output>(
  lines: ReadonlyArray<ReadLine<Output>>,
  { onLine, onChunk }: Pick<PipelineOptions<Output>, "onLine" | "onChunk">
) => {
  for (const line of lines) onLine(line)
  onChunk?.()
}

/** Reads bytes without a process. */
export const readAll = <Output>(
  stages: Stages<Output>,
  chunks: ReadonlyArray<Uint8Array>,
  maxLineBytes?: number
): ReadonlyArray<Output | AgentEvent> => {
  const all: Array<Output | AgentEvent> = []
  const onLine = ({ outputs }: ReadLine<Output>) => all.push(...outputs())
  const stdout = Stream.fromIterable(chunks, { chunkSize: Number.POSITIVE_INFINITY })
  Effect.runSync(pipeline({ stdout, stages, maxLineBytes, onLine }))
  return all
}
