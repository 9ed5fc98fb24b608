/**
 * Parts of patterns over a line of JSON, for a glance: what they match is valid JSON. The value of a match is a copy, since V8
 * keeps a whole chunk of output in memory as long as a piece of it is in use (166 → 272 MB in a long run).
 */

/** The content of a string that has no escapes. */
export const plainContent = String.raw`[^"\\\x00-\x1f]*`

/** The content of any string. */
export const stringContent = String.raw`${plainContent}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})${plainContent})*`

/** Up to here V8 copies by itself. */
const shortLength = 12

/** A text that keeps nothing in memory of the longer one that it is a piece of. */
export const textCopy = (text: string): string => (text.length <= shortLength ? text : ` ${text}`.slice(1))

/** The value of a string, by its content: a copy, too. */
export const stringOf = (content: string): string =>
  content.length <= shortLength && !content.includes("\\") ? content : JSON.parse(`"${content}"`)
