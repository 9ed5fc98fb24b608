/**
 * Makes text of others safe to show; pure. Control characters, characters that reorder text and invisible ones are replaced
 * by their JSON escapes (`\u202e`), so that a line of JSON keeps its meaning.
 */

/** Controls, formats (such as bidi), line separators, lone surrogates, and characters without width: tags, fillers, selectors. */
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
