/**
 * Deltas of an answer, most lines of a run, read from their text (0.61.0): less than a third of the cost of parsing. The
 * pattern matches only the members that Gemini CLI prints, in its order; any other line is parsed. That both mean the same is
 * a property: `test/cli/gemini/glance.test.ts`.
 */
import { plainContent, stringContent, stringOf } from "../../../contract/text/jsonPattern.ts"
import type { Glance } from "../../Decoder.ts"
import type { Message } from "../wire.ts"

const pattern = new RegExp(
  [
    String.raw`^\{"type":"message","timestamp":"${plainContent}","role":"assistant"`,
    String.raw`,"content":"(${stringContent})","delta":true\}$`
  ].join("")
)

export const glance = (line: string): Glance<Message> | undefined => {
  const content = pattern.exec(line)?.[1]
  if (content === undefined) return undefined
  return { wire: { type: "message", role: "assistant", content: stringOf(content), delta: true } }
}
