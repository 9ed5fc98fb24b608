/**
 * Numbers and text of agents, formatted for people; pure. Text of an agent or its tools goes through `harmless` before it
 * is printed: it cannot move the cursor, colour the screen or set a title.
 */
import { CliOutput } from "effect/cli"

export { oneLine } from "../contract/text/oneLine.ts"

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** At most `width` cells of a line, with `…` where it was cut. */
export const clip = (text: string, width: number): string => {
  // Bounds the work on a long text: no character takes more than 16 code units a cell.
  const head = text.slice(0, Math.max(0, width) * 16)
  if (head.length === text.length && CliOutput.displayWidth(text) <= width) return text
  let kept = ""
  let used = 1
  for (const { segment } of graphemes.segment(head)) {
    used += CliOutput.displayWidth(segment)
    if (used > width) break
    kept += segment
  }
  return width < 1 ? "" : `${kept}…`
}
