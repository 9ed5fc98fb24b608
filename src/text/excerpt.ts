/**
 * stderr → the few lines of it that tell the cause, for the message of a failure; pure. Secrets were taken out before;
 * lines that repeat what the caller wrote (prompts) are left out here.
 */
import { withoutUnseen } from "./harmless.ts"

/** At most so many characters. */
const longest = 300

/** Frames of a stack, carets below a line of code, and what Node.js says of itself. */
const frames = [
  /^at .+/,
  /^File ".+", line \d+/,
  /^\d+: +(0x[0-9a-f]+|[\w$]+::)/i,
  /^[\^~]+$/,
  /^Node\.js v\d/,
  /^\(Use `?node --trace-/,
  /^\(node:\d+\)/,
  /^(throw|return) .*;?$/,
  /^(\/|file:|node:)\S+:\d+$/
]

const tellsCause = /error|\bfatal\b|\bpanic|\bfailed\b|\bexception\b|\binvalid\b|\bcannot\b|\bnot found\b/i

/** So many characters in a row are no accident. */
const repeated = 24
const stride = 8

const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character)

/** The whole text stands in the line, and not as a part of other words. */
const hasWhole = (line: string, text: string) => {
  for (let at = line.indexOf(text); at !== -1; at = line.indexOf(text, at + 1)) {
    if (!isWord(line[at - 1]) && !isWord(line[at + text.length])) return true
  }
  return false
}

/** Any part of the line, wherever the text was broken off. */
const hasPart = (line: string, text: string) => {
  const window = repeated - stride
  for (let at = 0; at + window <= line.length; at += stride) {
    if (text.includes(line.slice(at, at + window))) return true
  }
  return false
}

const repeats = (line: string, texts: ReadonlyArray<string>) =>
  texts.some((text) => hasWhole(line, text) || (text.length >= repeated && hasPart(line, text)))

/** As much of a text as is looked for, at either end. */
const searched = 32 * 1024

/** The whole text, and lines of it that are no mere words. */
const partsOf = (text: string): ReadonlyArray<string> => {
  const bounded = text.length <= 2 * searched ? text : `${text.slice(0, searched)}\n${text.slice(-searched)}`
  const lines = bounded.split("\n").map((line) => line.trim())
  return [bounded.trim(), ...lines.filter((line) => line.length >= 8)].filter((part) => /[\p{L}\p{N}]/u.test(part))
}

/** A line of its own is cut only where it alone is too long. */
const cut = (line: string) => (line.length <= longest ? line : `${line.slice(0, longest - 1)}…`)

/** How many characters the lines take, joined. */
const sizeOf = (lines: ReadonlyArray<string>) => lines.join("\n").length

/** Whole lines, at most 300 characters: from the last that names an error on, or the last ones; empty without any. */
export const excerptOf = (stderr: string, hidden: ReadonlyArray<string> = []): string => {
  const texts = [...new Set(hidden.flatMap(partsOf))]
  const lines = stderr
    .split(/\r?\n/)
    .map((line) => withoutUnseen(line).trim())
    .filter((line) => line !== "" && !frames.some((frame) => frame.test(line)))
  const start = lines.findLastIndex((line) => tellsCause.test(line))
  const chosen: Array<string> = []
  const fits = (line: string) => sizeOf([...chosen, line]) <= longest
  const take = (line: string, add: (line: string) => void) => {
    const short = cut(line)
    if (!fits(short)) return false
    if (!repeats(short, texts)) add(short)
    return true
  }
  const before = (line: string) => take(line, (short) => chosen.unshift(short))
  const behind = (line: string) => take(line, (short) => chosen.push(short))
  if (start === -1) {
    lines.toReversed().every(before)
    return chosen.join("\n")
  }
  lines.slice(start).every(behind)
  const above = lines.slice(0, start).toReversed()
  above.every((line) => tellsCause.test(line) && before(line))
  return chosen.join("\n")
}
