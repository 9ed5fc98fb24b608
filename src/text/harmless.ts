/**
 * Foreign text made safe to show; pure. What a terminal obeys, what turns the order of other characters round and what
 * cannot be seen becomes its escape as JSON writes it (`\u202e`), so that the same step keeps a line of JSON what it is.
 */

/** Controls, formats (bidi among them), line separators, lone surrogates, and whatever takes no room: tags, fillers, selectors. */
const unseen = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]`

/** The joiners and selectors inside an emoji are seen: they make one picture of several. */
const picture = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f\p{Emoji_Modifier}]?`
const pictures = String.raw`${picture}(?:\u200d${picture}){1,7}|\p{Extended_Pictographic}[\ufe0e\ufe0f]|[0-9#*]\ufe0f\u20e3`

/** Most text holds nothing of it, and is told so fast. */
const isPlainAscii = /^[\n\t\x20-\x7e]*$/

const unseenOrPicture = new RegExp(`${pictures}|[${unseen}--[\\n\\t]]`, "gv")
const unseenOrBlank = new RegExp(`[[${unseen}\\p{Zs}]--[\\n\\t ]]`, "gv")

const escapeOf = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16).padStart(4, "0"))
    .map((unit) => `\\u${unit}`)
    .join("")

const allUnseen = new RegExp(unseen, "gv")
const isUnseen = new RegExp(`^${unseen}`, "v")

/** For everything foreign that is shown. A line feed and a tab stay; a carriage return goes where a line feed follows. */
export const harmless = (text: string): string =>
  isPlainAscii.test(text)
    ? text
    : text
        .replaceAll("\r\n", "\n")
        .replace(unseenOrPicture, (match) => (isUnseen.test(match) ? escapeOf(match) : match))

/** For what is approved: no joiner, no carriage return and no blank but the common one goes unseen either. */
export const exact = (text: string): string => (isPlainAscii.test(text) ? text : text.replace(unseenOrBlank, escapeOf))

/** For a line that is quoted in a message: without what a terminal acts on or does not show, tabs included. */
export const withoutUnseen = (text: string): string => text.replace(allUnseen, "")
