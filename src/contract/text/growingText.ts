/**
 * A text that grows by small pieces, joined every few hundred characters: V8 keeps a sum as a tree of its pieces until
 * it is read. 200,000 lines of Claude Code peak at 132 MB instead of 171.
 */
import { textCopy } from "./jsonLine.ts"

export interface GrowingText {
  readonly add: (text: string) => void
  /** A negative number drops nothing. */
  readonly dropLast: (characters: number) => void
  readonly text: () => string
}

const blockLength = 512

export const makeGrowingText = (beginning = ""): GrowingText => {
  let earlier = ""
  let latest = ""

  const settle = (text: string) => {
    earlier += text
    latest = ""
  }

  const add = (text: string) => {
    // A long piece needs no copy.
    if (text.length >= blockLength) return settle(latest + text)
    latest += text
    if (latest.length >= blockLength) settle(textCopy(latest))
  }

  add(beginning)
  return {
    add,
    dropLast: (characters) => {
      if (characters <= 0) return
      const text = earlier + latest
      earlier = text.slice(0, Math.max(0, text.length - characters))
      latest = ""
    },
    text: () => {
      // Flattened once: otherwise each reader would flatten the sum again.
      settle(latest)
      return earlier
    }
  }
}
