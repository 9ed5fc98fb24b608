/**
 * stdout → lines → JSON → wire → events: the output of a process as one Stream over whole chunks, for runs and live sessions.
 * The last stage works line by line: the meaning of one may decide whether the next is read.
 */
import { Effect, Stream } from "effect"
import type { Stages, Step } from "../cli/Decoder.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import { type Line, type LineSplitter, makeLineSplitter } from "../process/lines.ts"
import { parseLine, type WireLine } from "./wireLine.ts"

/** 64 MiB: an image in a tool result is sent twice in base64, and some CLIs repeat whole files. */
const defaultMaxLineBytes = 64 * 1024 * 1024

/** A line, read up to its meaning. */
export interface ReadLine<Output> extends WireLine {
  /** Its meaning. Called at most once, in the order of the lines, since it advances the state of the decoder. */
  readonly outputs: () => ReadonlyArray<Output | AgentEvent>
}

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
  options.stages((wire, step) =>
    options.stdout.pipe(
      Stream.mapAccumArray(() => makeLineSplitter(options.maxLineBytes ?? defaultMaxLineBytes), split, {
        onHalt: lastLine
      }),
      Stream.map(recorded(options.record)),
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

const isWritten = (line: Line) => line._tag === "Oversize" || line.text.trim() !== ""

const split = (splitter: LineSplitter, chunks: ReadonlyArray<Uint8Array>) =>
  [splitter, chunks.flatMap(splitter.push).filter(isWritten)] as const

const lastLine = (splitter: LineSplitter) =>
  splitter
    .end()
    .filter(isWritten)
    .map((line): Line => ({ ...line, isUnfinished: true }))

const recorded = (record: PipelineOptions<unknown>["record"]) => (line: Line) => {
  if (line._tag === "Line") record?.(line.text)
  return line
}

/** With the wire form of its object, or with the error of the CLI's code, which affects this line only. */
type Decoded<Wire> = WireLine & ({ readonly wire: Wire } | { readonly thrown: unknown } | { readonly json: undefined })

const decoded =
  <Wire>(wire: (json: unknown) => Wire) =>
  (line: WireLine): Decoded<Wire> => {
    if (line.json === undefined) return { ...line, json: undefined }
    try {
      return { ...line, wire: wire(line.json) }
    } catch (thrown) {
      return { ...line, thrown }
    }
  }

const stepped =
  <Wire, Output>(step: Step<Wire, Output>) =>
  (line: Decoded<Wire>): ReadLine<Output> => ({ ...line, outputs: () => outputsOf(step, line) })

const outputsOf = <Wire, Output>(step: Step<Wire, Output>, line: Decoded<Wire>) => {
  const outputs = translated(step, line)
  return line.notices.length === 0 ? outputs : [...line.notices, ...outputs]
}

const translated = <Wire, Output>(step: Step<Wire, Output>, line: Decoded<Wire>) => {
  if ("thrown" in line) return untranslated(line.json, line.thrown)
  if (!("wire" in line)) return []
  try {
    return step(line.wire, line.json)
  } catch (error) {
    return untranslated(line.json, error)
  }
}

const untranslated = (raw: unknown, error: unknown): ReadonlyArray<AgentEvent> => {
  const message = `A line could not be translated: ${error instanceof Error ? error.name : "unknown error"}`
  return [
    { type: "notice", kind: "warning", message },
    { type: "unknown", raw }
  ]
}
