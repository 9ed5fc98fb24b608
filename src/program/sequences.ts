/**
 * The sequences with which this program steers a terminal, told apart from those in foreign text: each stands between
 * two marks that hold a number which nobody outside of the process knows. `printable` takes the marks away and makes
 * everything else harmless, so that no text can forge a sequence, however it came into what is printed.
 */
import { randomInt } from "node:crypto"
import { harmless } from "../text/harmless.ts"

/** In the form of a style, which takes no room: widths are measured with the marks in the text. */
const mark = `\x1b[${randomInt(2 ** 46, 2 ** 47)}m`

/** Styles, moves of the cursor, erasing, bracketed paste, and a return to the beginning of a row. */
const ours = /^(?:\x1b\[\??[\d;]*[A-Za-z]|\x1b[78]|\r)+$/

export const sequence = (text: string): string => (text === "" ? "" : mark + text + mark)

/** A text of this program that has styles in it, such as its help. */
export const styled = (text: string): string => text.replace(/(?:\x1b\[[\d;]*m)+/g, sequence)

/** What may be written: our own sequences, and nothing else that a terminal obeys or hides. */
export const printable = (text: string): string =>
  text
    .split(mark)
    .map((part, index) => (index % 2 === 1 && ours.test(part) ? part : harmless(part)))
    .join("")
