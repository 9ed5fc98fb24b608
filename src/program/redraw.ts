/**
 * Redraws text below a transcript; pure. Row by row: a terminal would push what `ESC[J` clears from its first row into
 * the scrollback.
 */
import { atOnce, sequence } from "./sequences.ts"

export interface Below {
  readonly text: string
  readonly wipe: string
  /** Rows, with the cursor at the end of the last; 0 inside of a line. */
  readonly height: number
}

export const nothingBelow: Below = { text: "", wipe: "", height: 0 }

/** None of the rows wraps. */
export const below = (rows: ReadonlyArray<string>): Below =>
  rows.length === 0
    ? nothingBelow
    : {
        text: rows.join("\n"),
        wipe: sequence(`\r\x1b[K${"\x1b[A\x1b[K".repeat(rows.length - 1)}`),
        height: rows.length
      }

const redrawn = (before: Below, after: Below): string => {
  const up = before.height > 1 ? `\x1b[${before.height - 1}A` : ""
  // After the first row: the cursor is not at the screen's first cell.
  const rest = before.height > after.height ? "\x1b[J" : ""
  const ending = sequence(`\x1b[K${rest}`)
  return `${sequence(`\r${up}`)}${after.text.replaceAll("\n", `${sequence("\x1b[K")}\n`)}${ending}`
}

/** Adds text to the transcript and replaces the text below it; empty if nothing changes. */
export const frame = (before: Below, text: string, after: Below): string => {
  if (text === "" && before.text === after.text) return ""
  if (before.wipe === "" && after.wipe === "") return text
  if (text === "" && before.height > 0 && after.height > 0) return atOnce(redrawn(before, after))
  return atOnce(before.wipe + text + after.text)
}
