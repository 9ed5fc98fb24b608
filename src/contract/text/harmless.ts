/** Makes foreign text safe to show; pure. Control, bidi and invisible characters become JSON escapes (`\u202e`). */

/** Also line separators, lone surrogates, and characters without width: tags, fillers, selectors. */
const invisible = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]`

/** Joiners and selectors inside an emoji are kept: they combine several characters into one picture. */
const picture = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f\p{Emoji_Modifier}]?`
const pictures = String.raw`${picture}(?:\u200d${picture}){1,7}|\p{Extended_Pictographic}[\ufe0e\ufe0f]|[0-9#*]\ufe0f\u20e3`

/** Fast path: most text needs no change. */
const isPlainAscii = /^[\n\t\x20-\x7e]*$/
const invisibleOrPicture = new RegExp(`${pictures}|[${invisible}--[\\n\\t]]`, "gv")
const invisibleOrSpace = new RegExp(`[[${invisible}\\p{Zs}]--[\\n\\t ]]`, "gv")

const escapeOf = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16).padStart(4, "0"))
    .map((unit) => `\\u${unit}`)
    .join("")

const allInvisible = new RegExp(invisible, "gv")
const isInvisible = new RegExp(`^${invisible}`, "v")

/** For all text of others that is shown. Line feeds and tabs stay; a carriage return before a line feed is dropped. */
export const harmless = (text: string): string =>
  isPlainAscii.test(text)
    ? text
    : text
        .replaceAll("\r\n", "\n")
        .replace(invisibleOrPicture, (match) => (isInvisible.test(match) ? escapeOf(match) : match))

/** For text that is approved: also escapes joiners, carriage returns and all spaces but the common one. */
export const exact = (text: string): string =>
  isPlainAscii.test(text) ? text : text.replace(invisibleOrSpace, escapeOf)

/** How many characters `exact` escapes. */
export const escapedBy = (text: string): number =>
  isPlainAscii.test(text) ? 0 : (text.match(invisibleOrSpace)?.length ?? 0)

/** For a line that is quoted in a message: drops all control and invisible characters, including tabs. */
export const withoutInvisible = (text: string): string => text.replace(allInvisible, "")

const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Removes terminal sequences and control characters other than tab and line feed. */
export const stripControls = (text: string) => text.replace(ansi, "").replace(controls, "")

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
