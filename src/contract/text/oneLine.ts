/** Text of others on one line, and cut; pure. */
import { harmless } from "./harmless.ts"

/** How many lines two texts have in common at their start; pure. */
export const commonStart = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}

/** Makes a text harmless and puts it on one line. */
export const oneLine = (text: string): string => harmless(text).replace(/\s+/g, " ").trim()

/** At most so many characters, and how many are left out; never through the middle of a character. */
export const cutAt = (text: string, length: number): { readonly kept: string; readonly rest: number } => {
  if (text.length <= length) return { kept: text, rest: 0 }
  const isPair = text.charCodeAt(length - 1) >= 0xd800 && text.charCodeAt(length - 1) <= 0xdbff
  const kept = text.slice(0, isPair ? length - 1 : length)
  return { kept, rest: text.length - kept.length }
}

/** What a cut can leave of a picture of several characters. */
const joiners = /[\u200d\ufe0e\ufe0f]+$/

/** At most so many characters of one line, with `…` where it was cut. */
export const shortLine = (text: string, length: number): string => {
  // Bounds the work on a long text; blanks in a row become one.
  const head = text.slice(0, length * 4)
  const line = oneLine(head)
  if (line.length <= length && head.length === text.length) return line
  return `${cutAt(line, length - 1).kept.replace(joiners, "")}…`
}
