/** stderr without secrets → the lines that name the cause of a failure, without repeated texts of the caller. */
import { withoutInvisible } from "./harmless.ts"

/** In characters. */
const maxLength = 300

/** Stack frames, carets below a line of code, and notes of Node.js. */
const noise = [
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

const namesCause = /error|\bfatal\b|\bpanic|\bfailed\b|\bexception\b|\binvalid\b|\bcannot\b|\bnot found\b/i
/** Number of equal characters in a row that is not a coincidence. */
const repeatLength = 24
const stride = 8

const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character)

/** Whether the line contains the whole text, and not as a part of other words. */
const hasWhole = (line: string, text: string) => {
  for (let at = line.indexOf(text); at !== -1; at = line.indexOf(text, at + 1)) {
    if (!isWord(line[at - 1]) && !isWord(line[at + text.length])) return true
  }
  return false
}

/** Whether any part of the line is in the text, in case either was cut off. */
const hasPart = (line: string, text: string) => {
  const window = repeatLength - stride
  for (let at = 0; at + window <= line.length; at += stride) {
    if (text.includes(line.slice(at, at + window))) return true
  }
  return false
}

const repeats = (line: string, texts: ReadonlyArray<string>) =>
  texts.some((text) => hasWhole(line, text) || (text.length >= repeatLength && hasPart(line, text)))

/** Number of characters of a text that are compared, at either end. */
const comparedLength = 32 * 1024

/** The whole text, and its longer lines. */
const partsOf = (text: string): ReadonlyArray<string> => {
  const bounded =
    text.length <= 2 * comparedLength ? text : `${text.slice(0, comparedLength)}\n${text.slice(-comparedLength)}`
  const lines = bounded.split("\n").map((line) => line.trim())
  return [bounded.trim(), ...lines.filter((line) => line.length >= 8)].filter((part) => /[\p{L}\p{N}]/u.test(part))
}

/** Cuts a line that alone is too long. */
const cut = (line: string) => (line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`)

const sizeOf = (lines: ReadonlyArray<string>) => lines.join("\n").length

/** Whole lines, at most 300 characters: from the last line that names an error on, else the last lines; may be empty. */
export const excerptOf = (stderr: string, hidden: ReadonlyArray<string> = []): string => {
  const texts = [...new Set(hidden.flatMap(partsOf))]
  const lines = stderr
    .split(/\r?\n/)
    .map((line) => withoutInvisible(line).trim())
    .filter((line) => line !== "" && !noise.some((pattern) => pattern.test(line)))
  const start = lines.findLastIndex((line) => namesCause.test(line))
  const chosen: Array<string> = []
  const fits = (line: string) => sizeOf([...chosen, line]) <= maxLength
  const take = (line: string, add: (line: string) => void) => {
    const short = cut(line)
    if (!fits(short)) return false
    if (!repeats(short, texts)) add(short)
    return true
  }
  const before = (line: string) => take(line, (short) => chosen.unshift(short))
  const after = (line: string) => take(line, (short) => chosen.push(short))
  if (start === -1) {
    lines.toReversed().every(before)
    return chosen.join("\n")
  }
  lines.slice(start).every(after)
  const above = lines.slice(0, start).toReversed()
  above.every((line) => namesCause.test(line) && before(line))
  return chosen.join("\n")
}
