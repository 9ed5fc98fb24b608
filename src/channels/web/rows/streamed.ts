/** The part of a turn's answer that pages have seen while it was written, from its rows; pure. */
import type { Numbered } from "./compact.ts"

/** Since it was begun last. */
export const streamedText = (rows: ReadonlyArray<Numbered>): string => {
  const begun = rows.findLastIndex(({ body }) => body.row === "run")
  let text = ""
  for (const { body } of rows.slice(begun + 1)) {
    if (body.row !== "event" || body.event["parentToolId"] !== undefined) continue
    const { event } = body
    if (event.type === "text") text += String(event["text"] ?? "")
    const data = event.type === "notice" && event["kind"] === "text_voided" ? event["data"] : undefined
    const characters = typeof data === "object" && data !== null ? Reflect.get(data, "characters") : undefined
    if (typeof characters === "number") text = text.slice(0, Math.max(0, text.length - characters))
  }
  return text
}

const folded = (text: string) => text.normalize("NFC").replace(/\s+/g, "")

/** From here on a text is a piece of an answer that is too long for one. */
const long = 10_000

/** Whether a text of the answer was streamed: all of it, or a long piece. */
export const wasStreamed = (streamed: string, text: string): boolean => {
  const [all, answer] = [folded(streamed), folded(text)]
  return answer !== "" && (all === answer || (answer.length >= long && all.includes(answer)))
}
