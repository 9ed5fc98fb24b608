/**
 * Reads pieces of an answer or a thought, most lines of a live session, from their text, at a third of the cost of parsing.
 * The pattern has only the members that OpenCode (1.18.33) and Gemini CLI (0.61.0) print, in their order.
 */
import { plainContent, stringContent, stringOf } from "../../../contract/text/jsonLine.ts"
import type { Glance } from "../../Decoder.ts"

/** A class, so that no JSON can pass for one. */
export class Chunk {
  readonly type: "text" | "thinking"
  readonly sessionId: string
  readonly text: string
  readonly line: string

  constructor(type: Chunk["type"], sessionId: string, text: string, line: string) {
    this.type = type
    this.sessionId = sessionId
    this.text = text
    this.line = line
  }
}

const pattern = new RegExp(
  [
    String.raw`^\{"jsonrpc":"2\.0","method":"session/update","params":\{"sessionId":"(${plainContent})",`,
    String.raw`"update":\{"sessionUpdate":"agent_(message|thought)_chunk",(?:"messageId":"${plainContent}",)?`,
    String.raw`"content":\{"type":"text","text":"(${stringContent})"\}\}\}\}$`
  ].join("")
)

export const glance = (line: string): Glance<Chunk> | undefined => {
  const match = pattern.exec(line)
  if (match === null) return undefined
  const [, sessionId = "", kind, text = ""] = match
  return { wire: new Chunk(kind === "message" ? "text" : "thinking", sessionId, stringOf(text), line) }
}
