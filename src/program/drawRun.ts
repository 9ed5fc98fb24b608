/**
 * Events → the text of a transcript, with an animated status below it while a live run is silent. How the run failed is
 * written to stderr, at its place among what goes to stdout.
 */
import { Console, Effect, Stdio, Stream, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import { monotonicMillis } from "../system/hostClock.ts"
import { begin, closeText, lines, type Scene, type Transcript } from "./blocks.ts"
import { inert, stillEveryMs, stillRow } from "./ci/inert.ts"
import { frame, nothingBelow } from "./redraw.ts"
import { statusOf } from "./status.ts"
import { draw } from "./transcript.ts"

export interface DrawOptions {
  /** The agent's name, for people. */
  readonly agent: string
  /** Only for a live run: whether it is being stopped. Without it no times are shown. */
  readonly isStopping?: () => boolean
  /** The log of a CI: nothing moves, silence is broken each minute, and no row is a command to the runner. */
  readonly isCi?: boolean
}

const frameMs = 100

/** A piece of the transcript. */
interface Piece {
  readonly text: string
  readonly isFailure: boolean
}

const isFailure = (event: AgentEvent): boolean =>
  event.type === "error" ||
  ((event.type === "done" || event.type === "turn_done") && event.result.outcome !== "completed")

/** Whole lines. */
export const printError = (text: string): Effect.Effect<void> => Console.error(text.replace(/\n$/, ""))

const writtenOf = ({ text, isFailure }: Piece): Effect.Effect<string> =>
  isFailure ? Effect.as(printError(text), "") : Effect.succeed(text)

export const drawRun = Effect.fnUntraced(function* <R>(
  events: Stream.Stream<AgentEvent, never, R>,
  options: DrawOptions
) {
  const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const terminal = yield* Terminal.Terminal
  const { stderrIsTerminal } = yield* Stdio.Stdio
  const { isStopping, isCi = false } = options
  const live = canAnimate && !isCi
  const isErrorLive = live && (yield* stderrIsTerminal)
  const startedAt = isStopping === undefined ? undefined : yield* monotonicMillis
  const isAnimated = live && isStopping !== undefined
  const isTold = isCi && isStopping !== undefined
  const ticks = Stream.map(Stream.tick(isTold ? stillEveryMs / 12 : frameMs), () => "tick" as const)
  const pieces = Stream.mapAccumArrayEffect(
    isAnimated || isTold ? Stream.merge(events, ticks, { haltStrategy: "left" }) : events,
    () => ({
      transcript: begin(options.agent, startedAt),
      status: nothingBelow,
      hasFailed: false,
      writtenAt: startedAt ?? 0
    }),
    (before, inputs) =>
      Effect.gen(function* () {
        const now = yield* monotonicMillis
        // Asked each time: a window can be resized.
        const surface = { live, color: canColor, columns: yield* terminal.columns }
        const scenes = {
          shown: { surface, now: isStopping === undefined ? undefined : now },
          failed: {
            surface: { ...surface, live: isErrorLive, color: isErrorLive && canColor },
            now: isStopping === undefined ? undefined : now
          }
        }
        const { hasFailed, ...all } = drawAll(before, inputs, scenes)
        const still =
          isTold && all.written.length === 0 ? stillRow(all.transcript, surface, before.writtenAt, now) : undefined
        const { transcript, written: drawn } = still === undefined ? all : withRow(all.transcript, still, scenes.shown)
        const writtenAt = drawn.length > 0 ? now : before.writtenAt
        const status = isAnimated
          ? statusOf(transcript, surface, now, isStopping(), yield* terminal.rows)
          : nothingBelow
        const pieces = joined(drawn)
        const [only = visible("")] = pieces
        const output =
          pieces.length > 1 || only.isFailure
            ? joined([visible(before.status.wipe), ...pieces, visible(status.text)])
            : joined([visible(frame(before.status, only.text, status))])
        return [{ transcript, hasFailed, status, writtenAt }, output] as const
      }),
    { onHalt: ({ status }) => [visible(frame(status, "", nothingBelow))] }
  )
  const safe = isCi ? Stream.mapAccum(pieces, () => "", inertPiece) : pieces
  return Stream.filter(Stream.mapEffect(safe, writtenOf), (text) => text !== "")
})

/** Failures are whole rows, on stderr. */
const inertPiece = (end: string, piece: Piece) => {
  const [next, text] = inert(piece.isFailure ? "" : end, piece.text)
  return [piece.isFailure ? end : next, [{ ...piece, text }]] as const
}

const withRow = (before: Transcript, row: string, scene: Scene) => {
  const [transcript, text] = lines(before, scene, undefined, [row])
  return { transcript, written: [visible(text)] }
}

const visible = (text: string): Piece => ({ text, isFailure: false })

/** Neighbours of one kind are written together. */
const joined = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const all: Array<Piece> = []
  for (const piece of pieces) {
    if (piece.text === "") continue
    const last = all.at(-1)
    if (last?.isFailure !== piece.isFailure) all.push(piece)
    else all[all.length - 1] = { ...piece, text: last.text + piece.text }
  }
  return all
}

interface Drawing {
  readonly transcript: Transcript
  /** Whether a failure was the last that was written. */
  readonly hasFailed: boolean
}

const drawAll = (
  { transcript: first, hasFailed: hadFailed }: Drawing,
  inputs: ReadonlyArray<AgentEvent | "tick">,
  scenes: { readonly shown: Scene; readonly failed: Scene }
) => {
  let transcript = first
  let hasFailed = hadFailed
  const output: Array<Piece> = []
  for (const input of inputs) {
    if (input === "tick") continue
    const isFailed = isFailure(input)
    if (isFailed) {
      // The answer before it belongs to stdout.
      const [closed, answer] = closeText(transcript, scenes.shown)
      transcript = closed
      output.push(visible(answer))
    }
    const [next, text] = draw(transcript, input, isFailed ? scenes.failed : scenes.shown)
    transcript = next
    if (text === "") continue
    // The line feeds that end what stands on stdout belong there.
    const lead = isFailed && !hasFailed ? (/^\n*/.exec(text)?.[0] ?? "") : ""
    output.push(visible(lead), { text: text.slice(lead.length), isFailure: isFailed })
    hasFailed = isFailed
  }
  return { transcript, hasFailed, written: output }
}
