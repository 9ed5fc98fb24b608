/**
 * A line of JSON → the same line, nested no deeper than can be written again: an engine reads JSON of any depth, and
 * throws where it is to write it. What is deeper says so in its place, and all around it is kept. Looks at the text, in
 * one pass and without recursion, and only where there are brackets enough.
 */

/**
 * Far more than `mostDepth`, so that a call that was cut here is still refused for its depth; and far less than
 * what `JSON.stringify` and a recursion take.
 */
export const mostLineDepth = 1_000

const standIn = JSON.stringify(`nested deeper than ${mostLineDepth}`)

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** Also where they stand within a text: too many only cost the look. */
const hasBrackets = (text: string, count: number) => {
  if (text.length < 2 * count) return false
  let found = 0
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      found += 1
      if (found > count) return true
    }
  }
  return false
}

/** Where the text that begins before `from` has its last quote. */
const endOfText = (text: string, from: number) => {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return text.length
}

/** The text itself, where there is nothing to cut. What is no JSON stays so. */
export const boundedDepth = (text: string): string => {
  if (!hasBrackets(text, mostLineDepth)) return text
  const kept: Array<string> = []
  let keptTo = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at + 1)
    else if (code === openList || code === openObject) {
      depth += 1
      if (depth === mostLineDepth + 1) kept.push(text.slice(keptTo, at), standIn)
    } else if (code === closeList || code === closeObject) {
      if (depth === mostLineDepth + 1) keptTo = at + 1
      depth -= 1
    }
  }
  const isWhole = depth <= mostLineDepth
  return kept.length > 0 && isWhole ? kept.join("") + text.slice(keptTo) : text
}
