/** Keeps the head and the tail of a stream of bytes, however long it is. For stderr: the cause is at either end. */
import { stripControls } from "../../contract/text/controls.ts"
import type { Redactor } from "./redactor.ts"

export interface BoundedText {
  readonly push: (chunk: Uint8Array) => void
  /** Head, a mark for what is left out, tail; without secrets, ANSI sequences and control characters. */
  readonly text: (redactor: Redactor) => string
}

export const makeBoundedText = (headLength = 4_096, tailLength = 12_288): BoundedText => {
  const decoder = new TextDecoder()
  let head = ""
  let tail = ""
  let dropped = 0
  return {
    push: (chunk) => {
      const text = decoder.decode(chunk, { stream: true })
      const room = headLength - head.length
      head += text.slice(0, room)
      const rest = tail + text.slice(Math.max(0, room))
      dropped += Math.max(0, rest.length - tailLength)
      tail = rest.slice(-tailLength)
    },
    text: (redactor) => {
      if (dropped === 0) return redactor.text(stripControls(head + tail)).trim()
      const [first, last] = [redactor.head(stripControls(head)), redactor.tail(stripControls(tail))]
      return `${first}\n… ${dropped} characters left out …\n${last}`.trim()
    }
  }
}
