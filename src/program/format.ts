/**
 * Numbers and text of agents, formatted for people; pure. Text of an agent or its tools goes through `harmless` before it
 * is printed: it cannot move the cursor, colour the screen or set a title.
 */
import { CliOutput } from "effect/cli"

/** A moment as a clock of a zone shows it, for people: `2026-11-24 00:00`. Default: the zone of the machine. */
export const localTime = (at: number, zone?: string): string => {
  if (!Number.isFinite(at) || Math.abs(at) > 8.64e15) return "an unknown time"
  const options = { dateStyle: "short", timeStyle: "short", timeZone: zone } as const
  return new Intl.DateTimeFormat("sv-SE", options).format(at)
}

export { oneLine } from "../contract/text/oneLine.ts"

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** At most `width` cells of a line, with `…` where it was cut. */
export const clip = (text: string, width: number): string => {
  // Bounds the work on a long text: no character takes more than 16 code units a cell.
  const head = text.slice(0, Math.max(0, width) * 16)
  if (head.length === text.length && CliOutput.displayWidth(text) <= width) return text
  let stored = ""
  let used = 1
  for (const { segment } of graphemes.segment(head)) {
    used += CliOutput.displayWidth(segment)
    if (used > width) break
    stored += segment
  }
  return width < 1 ? "" : `${stored}…`
}
