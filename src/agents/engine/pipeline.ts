/**
 * stdout → lines → JSON → wire → events, for runs and live sessions. Each line goes all the way before the next: its meaning
 * may decide whether that is read. Synchronous, and run by the chunk as it arrives.
 */
import { Effect, type Stream } from "effect"
import type { Stages } from "../../cli/Decoder.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { type Line, makeLineSplitter } from "../../system/process/lines.ts"
import { drain, openPollable } from "../../system/process/pollable.ts"
import { glancing, parsing, type ReadLine } from "./readLine.ts"

/** 64 MiB: an image in a tool result is sent twice in base64, and some CLIs repeat whole files. */
const defaultMaxLineBytes = 64 * 1024 * 1024

export interface PipelineOptions<Output> {
  readonly stdout: Stream.Stream<Uint8Array>
  readonly stages: Stages<Output>
  readonly record?: ((line: string) => void) | undefined
  readonly maxLineBytes?: number | undefined
  readonly onLine: (line: ReadLine<Output>) => void
  /** After the lines of a chunk, if it has any. */
  readonly onChunk?: () => void
}

/** False to parse every line: for tests, and to find out whether a glance is what is wrong. */
const mayGlance = Effect.map(HostEnvironment, (host) => host["REINS_GLANCE"] !== "0")

/** Completes when stdout has ended and its last line is read. */
export const pipeline = <Output>(options: PipelineOptions<Output>): Effect.Effect<void> =>
  Effect.flatMap(mayGlance, (isGlancing) => {
    const { push, end } = makeReader(options, isGlancing)
    const read = Effect.flatMap(openPollable(options.stdout), (stdout) => drain(stdout, push))
    return Effect.andThen(Effect.scoped(read), Effect.sync(end))
  })

/** Reads bytes without a process. */
export const readAll = <Output>(
  stages: Stages<Output>,
  chunks: ReadonlyArray<Uint8Array>,
  maxLineBytes?: number
): ReadonlyArray<Output | AgentEvent> => {
  const all: Array<Output | AgentEvent> = []
  const onLine = ({ outputs }: ReadLine<Output>) => all.push(...outputs())
  const { push, end } = makeReader({ stages, maxLineBytes, onLine }, Effect.runSync(mayGlance))
  push(chunks)
  end()
  return all
}

interface Reader {
  readonly push: (chunks: ReadonlyArray<Uint8Array>) => void
  readonly end: () => void
}

const makeReader = <Output>(
  { stages, record, maxLineBytes = defaultMaxLineBytes, onLine, onChunk }: Omit<PipelineOptions<Output>, "stdout">,
  isGlancing: boolean
): Reader =>
  // The CLI's functions: of a run from `cli/wireDecoder.ts`, of a live session from the conversation.
  stages((wire, step, glance) => {
    const splitter = makeLineSplitter(maxLineBytes)
    const [parsed, glanced] = [parsing(wire, step), glancing(isGlancing ? glance : undefined, step)]
    let isTouched = false

    /** Each is recorded, whatever is made of it. */
    const read = (line: Line) => {
      if (isBlank(line)) return
      if (line._tag === "Line") record?.(line.text)
      // Frequent lines are read at a glance, all others are parsed and decoded.
      onLine(glanced(line) ?? parsed(line))
      isTouched = true
    }

    const touch = () => {
      if (isTouched) onChunk?.()
      isTouched = false
    }

    return {
      push: (chunks) => {
        for (const chunk of chunks) for (const line of splitter.push(chunk)) read(line)
        touch()
      },
      end: () => {
        for (const line of splitter.end()) read({ ...line, isUnfinished: true })
        touch()
      }
    }
  })

const isBlank = (line: Line) => line._tag === "Line" && line.text.trim() === ""
