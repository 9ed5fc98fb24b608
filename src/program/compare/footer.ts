/** What the agents of a comparison are doing, below what is printed already: a row each, on a terminal alone. */
import { Effect, Stream } from "effect"
import { formatElapsed } from "../../contract/text/amounts.ts"
import { monotonicMillis } from "../../system/hostClock.ts"
import { clip, oneLine } from "../format.ts"
import { below, frame, nothingBelow } from "../redraw.ts"
import { paint, roomOf, type Surface, spinner } from "../style.ts"

export interface Working {
  readonly agent: string
  /** Its running tool. */
  readonly doing: string | undefined
}

export interface Footer {
  readonly working: () => ReadonlyArray<Working>
  readonly isStopping: () => boolean
}

const frameMs = 100

const rowsOf = ({ working, isStopping }: Footer, surface: Surface, elapsedMs: number, now: number) =>
  working().map(({ agent, doing }) => {
    const what = isStopping() ? "stopping" : oneLine(doing ?? "thinking")
    const text = clip(`${agent}  ${formatElapsed(elapsedMs)} · ${what}`, roomOf(surface) - 2)
    return `${paint(surface, "cyan", spinner(now))} ${paint(surface, "dim", text)}`
  })

/** The pieces, with the footer below them while they come. */
export const withFooter = (pieces: Stream.Stream<string>, footer: Footer, surface: Surface) =>
  Effect.map(monotonicMillis, (startedAt) => {
    if (!surface.live) return pieces
    const ticks = Stream.map(Stream.tick(frameMs), () => "")
    return Stream.mapAccumArrayEffect(
      Stream.merge(pieces, ticks, { haltStrategy: "left" }),
      () => nothingBelow,
      (before, texts) =>
        Effect.map(monotonicMillis, (now) => {
          const after = below(rowsOf(footer, surface, now - startedAt, now))
          return [after, [frame(before, texts.join(""), after)]] as const
        }),
      { onHalt: (before) => [frame(before, "", nothingBelow)] }
    )
  })
