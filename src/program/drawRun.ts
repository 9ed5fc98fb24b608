/** Events → the text of a transcript, with an animated status below it while a live run is silent. */
import { Effect, Stream, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { monotonicMillis } from "../clock/hostClock.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import { begin, type Transcript } from "./blocks.ts"
import { noStatus, statusOf } from "./status.ts"
import type { Surface } from "./style.ts"
import { draw } from "./transcript.ts"

export interface DrawOptions {
  /** The agent's name, for people. */
  readonly agent: string
  /** Only for a live run: whether it is being stopped. Without it no times are shown. */
  readonly isStopping?: () => boolean
}

const frameMs = 100

export const drawRun = Effect.fnUntraced(function* <R>(
  events: Stream.Stream<AgentEvent, never, R>,
  options: DrawOptions
) {
  const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const terminal = yield* Terminal.Terminal
  const live = canAnimate && canColor
  const { isStopping } = options
  const startedAt = isStopping === undefined ? undefined : yield* monotonicMillis
  const isAnimated = live && isStopping !== undefined
  const ticks = Stream.map(Stream.tick(frameMs), () => "tick" as const)
  return Stream.mapAccumArrayEffect(
    isAnimated ? Stream.merge(events, ticks, { haltStrategy: "left" }) : events,
    () => ({ transcript: begin(options.agent, startedAt), wipe: "" }),
    (before, inputs) =>
      Effect.gen(function* () {
        const now = yield* monotonicMillis
        // Asked each time: a window can be resized.
        const surface = { live, columns: yield* terminal.columns }
        const scene = { surface, now: isStopping === undefined ? undefined : now }
        const [transcript, text] = drawAll(before.transcript, inputs, scene)
        const status = isAnimated ? statusOf(transcript, surface, now, isStopping()) : noStatus
        const written = before.wipe + text + status.text
        return [{ transcript, wipe: status.wipe }, written === "" ? [] : [written]] as const
      }),
    { onHalt: ({ wipe }) => (wipe === "" ? [] : [wipe]) }
  )
})

const drawAll = (
  before: Transcript,
  inputs: ReadonlyArray<AgentEvent | "tick">,
  scene: { readonly surface: Surface; readonly now: number | undefined }
) => {
  let transcript = before
  let written = ""
  for (const input of inputs) {
    if (input === "tick") continue
    const [next, text] = draw(transcript, input, scene)
    transcript = next
    written += text
  }
  return [transcript, written] as const
}
