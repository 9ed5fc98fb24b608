/** Lines of JSON as text: parts of patterns over them, copies of what these match, and a limit for their depth; pure. */

/** Content of a string without escapes. */
export const plainContent = String.raw`[^"\\\x00-\x1f]*`

/** The content of any string. */
export const stringContent = String.raw`${plainContent}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})${plainContent})*`

/** Up to here V8 copies by itself. */
const shortLength = 12

/** A copy: V8 keeps a whole chunk of output in memory while a piece of it is in use (166 → 272 MB in a long run). */
export const textCopy = (text: string): string => (text.length <= shortLength ? text : ` ${text}`.slice(1))

/** The value of a string, by its content: a copy, too. */
export const stringOf = (content: string): string =>
  content.length <= shortLength && !content.includes("\\") ? content : JSON.parse(`"${content}"`)

/** Far more than `maxDepth`, which still refuses a call that was cut here, and far less than `JSON.stringify` takes. */
export const mostLineDepth = 1_000
/** Below this length no text is too deep: that many brackets have to be closed, too. */
export const shallowLength = 2 * mostLineDepth

const replacement = JSON.stringify(`nested deeper than ${mostLineDepth}`)
const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** Counts brackets in strings, too: a false positive only costs time. */
const hasBrackets = (text: string, count: number) => {
  let found = 0
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      found += 1
      if (found > count) return true
    }
  }
  return false
}

/** The closing quote of the string whose content begins at `from`. */
const endOfString = (text: string, from: number) => {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return text.length
}

/**
 * Replaces deeper values by a note, in one pass without recursion: `JSON.parse` takes any depth, but `JSON.stringify`
 * throws on it. A text that is not JSON stays invalid.
 */
export const boundedDepth = (text: string): string => {
  if (!hasBrackets(text, mostLineDepth)) return text
  const parts: Array<string> = []
  let copiedTo = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at + 1)
    else if (code === openList || code === openObject) {
      depth += 1
      if (depth === mostLineDepth + 1) parts.push(text.slice(copiedTo, at), replacement)
    } else if (code === closeList || code === closeObject) {
      if (depth === mostLineDepth + 1) copiedTo = at + 1
      depth -= 1
    }
  }
  const isWhole = depth <= mostLineDepth
  return parts.length > 0 && isWhole ? parts.join("") + text.slice(copiedTo) : text
}
