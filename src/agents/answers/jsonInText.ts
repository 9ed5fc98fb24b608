/** Finds the JSON value of an answer in text: the whole text, or its last fenced block that is JSON. Bounded. */
import { isJson } from "../../contract/json.ts"

/** Longer answers are not parsed. */
export const longestAnswer = 4 * 1024 * 1024
/** Blocks that are tried, from the last one on. */
const mostBlocks = 16

/** A value, which may be `undefined` for no JSON: JSON has no such value. */
const parse = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return isJson(value) ? value : undefined
  } catch {
    return undefined
  }
}

const opening = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/

/** The contents of the fenced blocks of Markdown, the first one first; one that is not closed ends with the text. */
const blocksOf = (text: string): ReadonlyArray<string> => {
  const blocks: Array<string> = []
  let fence: string | undefined
  let content: Array<string> = []
  for (const line of text.split(/\r?\n/)) {
    const mark = line.trim()
    if (fence === undefined) {
      fence = opening.exec(line)?.[1]
      content = []
    } else if (mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length)) {
      blocks.push(content.join("\n"))
      fence = undefined
    } else content.push(line)
  }
  if (fence !== undefined) blocks.push(content.join("\n"))
  return blocks
}

/** Undefined if the text has no JSON value. */
export const jsonInText = (text: string): unknown => {
  if (text.length > longestAnswer) return undefined
  const whole = parse(text)
  if (whole !== undefined) return whole
  for (const block of blocksOf(text).slice(-mostBlocks).reverse()) {
    const value = parse(block)
    if (value !== undefined) return value
  }
  return undefined
}
