/**
 * Events → the text of a transcript, with an animated status below it while a live run is silent. The failure of a run goes
 * to stderr, in order with the text on stdout.
 */
import { Console, Effect, Stdio, Stream, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import { formatElapsed } from "../contract/text/amounts.ts"
import { untraced } from "../contract/untraced.ts"
import { monotonicMillis } from "../system/hostClock.ts"
import { begin, closeText, labelIn, lines, type Scene, type Transcript } from "./blocks.ts"
import { clip } from "./format.ts"
import { frame, nothingBelow } from "./redraw.ts"
import { statusOf } from "./status.ts"
import { marks, roomOf, type Surface } from "./style.ts"
import { draw } from "./transcript.ts"

/** Time between two rows of a silent run. */
const stillEveryMs = 60_000

/** Undefined until the next row is due. `writtenAt`: time of the last output. */
const stillRow = (transcript: Transcript, surface: Surface, writtenAt: number, now: number): string | undefined => {
  if (now - writtenAt < stillEveryMs) return undefined
  const [tool] = transcript.actions.open.values()
  const since = tool?.startedAt ?? transcript.lastEventAt ?? writtenAt
  const { name, title } = tool === undefined ? { name: "thinking", title: "" } : labelIn(transcript, tool)
  const elapsed = formatElapsed(now - since).replace(" 0 s", "")
  const what = clip(`${name} ${title}`.trim(), roomOf(surface) - elapsed.length - 12)
  return `${marks.notice} still: ${what}, ${elapsed}`
}

const broken = (text: string): string => text.replace(/^(\s*:)(?=:)/gm, "$1 ").replace(/##(?:vso)?(?=\[)/gi, "$& ")

/** The end of a row, as far as it can begin a command. */
const endOf = (row: string): string => {
  const end = row.replace(/^\s+/, " ")
  return end.length <= 8 ? end : `x${end.slice(-5)}`
}

/**
 * Breaks, by a blank, what the runner of a CI would take for a command in text of others. A blank before it is not enough:
 * GitHub drops those before `::`, and finds `##[` anywhere in a row. `before`: the end that the step before returned, first "".
 */
export const inert = (before: string, text: string): readonly [end: string, text: string] => {
  const all = broken(before + text)
  return [endOf(all.slice(all.lastIndexOf("\n") + 1)), all.slice(before.length)]
}

export interface DrawOptions {
  readonly agent: string
  /** Whether a live run is being stopped; absent for a replay, which shows no times. */
  readonly isStopping?: () => boolean
  /** Whether this is the log of a CI: nothing is animated, silence is broken each minute, and no row is a command to the runner. */
  readonly isCi?: boolean
}

const frameMs = 100

interface Piece {
  readonly text: string
  readonly isFailure: boolean
}

const isFailure = (event: AgentEvent): boolean =>
  event.type === "error" ||
  ((event.type === "done" || event.type === "turn_done") && event.result.outcome !== "completed")

export const printError = (text: string): Effect.Effect<void> => Console.error(text.replace(/\n$/, ""))

const writtenOf = ({ text, isFailure }: Piece): Effect.Effect<string> =>
  isFailure ? Effect.as(printError(text), "") : Effect.succeed(text)

export const drawRun = Effect.fn(...untraced("Program.drawRun"))(function* <R>(
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
        const surface = { live, color: canColor, columns: yield* terminal.columns }
        const scene = { surface, now: isStopping === undefined ? undefined : now }
        const failed = { ...scene, surface: { ...surface, live: isErrorLive, color: isErrorLive && canColor } }
        const { hasFailed, ...all } = drawAll(before, inputs, { shown: scene, failed })
        const still =
          isTold && all.written.length === 0 ? stillRow(all.transcript, surface, before.writtenAt, now) : undefined
        const { transcript, written: drawn } = still === undefined ? all : withRow(all.transcript, still, scene)
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

const inertPiece = (end: string, piece: Piece) => {
  const [next, text] = inert(piece.isFailure ? "" : end, piece.text)
  return [piece.isFailure ? end : next, [{ ...piece, text }]] as const
}

const withRow = (before: Transcript, row: string, scene: Scene) => {
  const [transcript, text] = lines(before, scene, undefined, [row])
  return { transcript, written: [visible(text)] }
}

const visible = (text: string): Piece => ({ text, isFailure: false })

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

const drawAll = (
  before: { readonly transcript: Transcript; readonly hasFailed: boolean },
  inputs: ReadonlyArray<AgentEvent | "tick">,
  scenes: { readonly shown: Scene; readonly failed: Scene }
) => {
  let { transcript, hasFailed } = before
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
    // Line feeds that end the text on stdout belong there.
    const lead = isFailed && !hasFailed ? (/^\n*/.exec(text)?.[0] ?? "") : ""
    output.push(visible(lead), { text: text.slice(lead.length), isFailure: isFailed })
    hasFailed = isFailed
  }
  return { transcript, hasFailed, written: output }
}
