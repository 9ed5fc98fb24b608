/** What the agents of a comparison are doing, below what is printed already: a row each, on a terminal alone. */
import { Effect, Stream } from "effect"
import { monotonicMillis } from "../../clock/hostClock.ts"
import { formatElapsed } from "../../text/amounts.ts"
import { clip, oneLine } from "../format.ts"
import { sequence } from "../sequences.ts"
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

const wipeOf = (rows: ReadonlyArray<string>): string => {
  if (rows.length === 0) return ""
  return sequence(`\r${rows.length > 1 ? `\x1b[${rows.length - 1}A` : ""}\x1b[J`)
}

/** The pieces, with the footer below them while they come. */
export const withFooter = (pieces: Stream.Stream<string>, footer: Footer, surface: Surface) =>
  Effect.map(monotonicMillis, (startedAt) => {
    if (!surface.live) return pieces
    const ticks = Stream.map(Stream.tick(frameMs), () => "")
    return Stream.mapAccumArrayEffect(
      Stream.merge(pieces, ticks, { haltStrategy: "left" }),
      () => "",
      (wipe, texts) =>
        Effect.map(monotonicMillis, (now) => {
          const rows = rowsOf(footer, surface, now - startedAt, now)
          return [wipeOf(rows), [wipe + texts.join("") + rows.join("\n")]] as const
        }),
      { onHalt: (wipe) => (wipe === "" ? [] : [wipe]) }
    )
  })
