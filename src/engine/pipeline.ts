/**
 * stdout → lines → JSON → wire → events: what a process prints as one Stream over whole chunks, for runs and for live
 * sessions. The last stage goes line by line: what one means may decide whether the next is looked at.
 */
import { Effect, Result, Stream } from "effect"
import type { Stages, Step } from "../cli/Decoder.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import { isBlank, type Line, type LineSplitter, makeLineSplitter } from "../process/lines.ts"
import { parseLine, type WireLine } from "./wireLine.ts"

/** 64 MiB: an image in a tool result is sent twice in base64, and some CLIs repeat whole files. */
const defaultMaxLineBytes = 64 * 1024 * 1024

/** A line, read but for what it means. */
export interface ReadLine<Output> extends WireLine {
  /** What it means. Called at most once, in the order of the lines: it moves the state of the decoder on. */
  readonly outputs: () => ReadonlyArray<Output | AgentEvent>
}

export interface PipelineOptions<Output> {
  readonly stdout: Stream.Stream<Uint8Array>
  readonly stages: Stages<Output>
  readonly record?: (line: string) => void
  readonly maxLineBytes?: number | undefined
  readonly onLine: (line: ReadLine<Output>) => void
  /** After the lines of a chunk. */
  readonly onChunk?: () => void
}

/** Returns when stdout has ended and its last line was read. */
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

/** What bytes mean that no process prints. */
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

const isWritten = (line: Line) => !isBlank(line)

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

/** The wire form of a line; a throw stands for a bug in the CLI's code, and costs this line. */
interface Decoded<Wire> extends WireLine {
  readonly wire: Result.Result<Wire, unknown>
}

const decoded =
  <Wire>(wire: (json: unknown) => Wire) =>
  (line: WireLine): Decoded<Wire> => ({ ...line, wire: Result.try(() => wire(line.json)) })

const stepped =
  <Wire, Output>(step: Step<Wire, Output>) =>
  (line: Decoded<Wire>): ReadLine<Output> => ({
    ...line,
    outputs: () => (line.json === undefined ? line.notices : [...line.notices, ...translated(step, line)])
  })

const translated = <Wire, Output>(step: Step<Wire, Output>, { wire, json }: Decoded<Wire>) => {
  const outputs = Result.flatMap(wire, (form) => Result.try(() => step(form, json)))
  return Result.isSuccess(outputs) ? outputs.success : untranslated(json, outputs.failure)
}

const untranslated = (raw: unknown, error: unknown): ReadonlyArray<AgentEvent> => {
  const message = `A line could not be translated: ${error instanceof Error ? error.name : "unknown error"}`
  return [
    { type: "notice", kind: "warning", message },
    { type: "unknown", raw }
  ]
}
