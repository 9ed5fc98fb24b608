/** Text of others on one line, and shortened; pure. */
import { harmless } from "./harmless.ts"

/** Makes a text harmless and puts it on one line. */
export const oneLine = (text: string): string => harmless(text).replace(/\s+/g, " ").trim()

/** The first characters, and the number of those that are left out; never cuts through the middle of a character. */
export const cutAt = (text: string, length: number): { readonly head: string; readonly rest: number } => {
  if (text.length <= length) return { head: text, rest: 0 }
  const isPair = text.charCodeAt(length - 1) >= 0xd800 && text.charCodeAt(length - 1) <= 0xdbff
  const head = text.slice(0, isPair ? length - 1 : length)
  return { head, rest: text.length - head.length }
}

/** Characters that a cut can leave of a picture of several characters. */
const joiners = /[\u200d\ufe0e\ufe0f]+$/

/** At most so many characters of one line, with `…` where it was cut. */
export const shortLine = (text: string, length: number): string => {
  // Bounds the work on a long text, in which several blanks become one.
  const beginning = text.slice(0, length * 4)
  const line = oneLine(beginning)
  if (line.length <= length && beginning.length === text.length) return line
  return `${cutAt(line, length - 1).head.replace(joiners, "")}…`
}

/** How many lines two texts have in common at their start. */
export const commonStart = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}
