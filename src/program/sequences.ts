/**
 * The terminal sequences of this program, kept apart from those in text of others: each is enclosed in two marks with a
 * random number that only this process knows. `printable` removes the marks and makes everything else harmless, so that
 * no text can forge a sequence, however it got into the output.
 */
import { randomInt } from "node:crypto"
import { harmless } from "../contract/text/harmless.ts"

/** Formed like a style, which has no width: text is measured with the marks in it. */
const mark = `\x1b[${randomInt(2 ** 46, 2 ** 47)}m`
/** Styles, cursor moves, erasing, bracketed paste, carriage return, bell, and a text for the clipboard. */
const allowed = /^(?:\x1b\[\??[\d;]*[A-Za-z]|\x1b[78]|\r|\x07|\x1b\]52;c;[A-Za-z\d+/=]*\x07)+$/
export const sequence = (text: string): string => (text === "" ? "" : mark + text + mark)

/** Marks the styles in a text of this program, such as its help. */
export const styled = (text: string): string => text.replace(/(?:\x1b\[[\d;]*m)+/g, sequence)

/** Makes a text safe to write: only our own terminal sequences are kept. */
export const printable = (text: string): string =>
  text
    .split(mark)
    .map((part, index) => (index % 2 === 1 && allowed.test(part) ? part : harmless(part)))
    .join("")

export const bell = sequence("\x07")
export const alternate = { on: sequence("\x1b[?1049h"), off: sequence("\x1b[?1049l") }

/** Shown at once by a terminal that supports synchronized output (mode 2026). */
export const atOnce = (text: string): string => sequence("\x1b[?2026h") + text + sequence("\x1b[?2026l")

/** Fills the alternate screen from its first row; the cursor stays at the end. */
export const wholeScreen = (lines: ReadonlyArray<string>): string =>
  sequence("\x1b[H") + lines.map((line) => `${line}${sequence("\x1b[K")}`).join("\n")
