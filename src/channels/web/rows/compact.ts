/**
 * The rows of a finished turn → fewer rows with the same content; pure. Pieces of one text become one row in the place of
 * the last, so that a reader that has some of them gets the whole with the next.
 */
import { blocksOf } from "../../../bridge/format/blocks.ts"
import type { WebRow } from "./row.ts"

/** The answer since the turn's last start. */
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

/** From this length on a text may be a piece of a longer answer. */
const long = 10_000

/** True if the text is the whole streamed answer, or a long piece of it. */
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

/** Groups of neighbouring pieces of one text. */
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
