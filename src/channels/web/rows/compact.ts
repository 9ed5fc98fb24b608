/**
 * The rows of a turn that is over → fewer, which say the same; pure. Pieces of one text become one row, in the place of the
 * last: a reader that has some of them gets the whole with the next.
 */
import { blocksOf } from "../../../bridge/format/blocks.ts"
import type { WebRow } from "./row.ts"

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

type EventRow = Extract<WebRow, { readonly row: "event" }>

export interface Numbered {
  readonly id: number
  readonly body: WebRow
}

export interface Compacted {
  /** With what they are from now on. */
  readonly changed: ReadonlyArray<Numbered>
  readonly removed: ReadonlyArray<number>
}

const flowOf = ({ event, offset, blocks }: EventRow): string | undefined => {
  if ((event.type !== "text" && event.type !== "thinking") || offset === undefined) return undefined
  return JSON.stringify([event.type, event["parentToolId"] ?? null, blocks?.segment ?? null])
}

interface Run {
  readonly flow: string
  readonly rows: [Numbered & { readonly body: EventRow }, ...Array<Numbered & { readonly body: EventRow }>]
}

/** Neighbours of one text, each behind the one before. */
const runsOf = (rows: ReadonlyArray<Numbered>): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  let present: Run | undefined
  let end = 0
  for (const { id, body } of rows) {
    const flow = body.row === "event" ? flowOf(body) : undefined
    if (body.row !== "event" || flow === undefined) {
      present = undefined
      continue
    }
    const text = String(body.event["text"] ?? "")
    if (present?.flow === flow && body.offset === end) present.rows.push({ id, body })
    else {
      present = { flow, rows: [{ id, body }] }
      // The end of a text without its beginning stays as it is.
      if (body.offset === 0) runs.push(present)
    }
    end = (body.offset ?? 0) + text.length
  }
  return runs.filter((run) => run.rows.length > 1)
}

const whole = ({ rows }: Run): Numbered => {
  const last = rows.at(-1) ?? rows[0]
  const text = rows.map(({ body }) => String(body.event["text"] ?? "")).join("")
  const { blocks } = last.body
  return {
    id: last.id,
    body: {
      ...last.body,
      event: { ...last.body.event, text },
      offset: 0,
      ...(blocks === undefined ? {} : { blocks: { segment: blocks.segment, from: 0, list: blocksOf(text) } })
    }
  }
}

export const compacted = (rows: ReadonlyArray<Numbered>): Compacted => {
  const runs = runsOf(rows)
  return {
    changed: runs.map(whole),
    removed: runs.flatMap((run) => run.rows.slice(0, -1).map(({ id }) => id))
  }
}
