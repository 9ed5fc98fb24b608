/** One turn of a live session of Claude Code: 51 lines, 40 of them deltas of text. The stub puts in what differs. */
import { messageLines, openingLine, print, requesting, resultLine } from "./claudeWire.ts"
import type { Part } from "./part.ts"
import { makeSay } from "./words.ts"

const lifecycle = (state: string) => print({ type: "command_lifecycle", command_uuid: "#TEXT#", state })

export const liveTurn = (): Part => {
  const say = makeSay()
  const content = Array.from({ length: 40 }, say)
  const text = content.join("")
  const { start, blockStart, delta, whole, blockStop, end } = messageLines("msg_#NTH#")
  const lines = [
    lifecycle("queued"),
    lifecycle("started"),
    openingLine(),
    requesting(),
    start(),
    blockStart(0, { type: "text", text: "" }),
    ...content.map((text) => delta(0, { type: "text_delta", text })),
    whole({ type: "text", text }),
    blockStop(0),
    ...end("end_turn"),
    resultLine(text)
  ]
  return { lines, text, toolCalls: 0, outputCharacters: 0 }
}
