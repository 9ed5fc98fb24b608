/** Payloads → messages of Discord: Markdown within 2,000 characters as written; pure. Then each file; buttons below the last. */
import { Schema } from "effect"
import { cut } from "../../../bridge/format/cut.ts"
import { joined, plain, type RichText } from "../../../bridge/format/entities.ts"
import { richText } from "../../../bridge/format/richText.ts"
import type { ChannelLimits } from "../../../bridge/messages/Channel.ts"
import { Button, type Piece, type ReplyPayload } from "../../../bridge/messages/ReplyPayload.ts"
import { shortLine } from "../../../contract/text/harmless.ts"
import { withAddresses, write } from "./markdown.ts"

/** A piece in Discord's own shape, as the outbox stores it. */
const Body = Schema.Struct({
  /** Empty for a file. */
  content: Schema.String,
  buttons: Schema.optionalKey(Schema.Array(Schema.Array(Button))),
  silent: Schema.optionalKey(Schema.Literal(true))
})
export type Body = typeof Body.Type
export const isBody = Schema.is(Body)

const [rows, inRow] = [5, 5]

export const limits: ChannelLimits = {
  text: 2_000,
  buttons: { most: rows * inRow, label: 80, data: 100 },
  pace: { allPerSecond: 40, directPerMinute: 60, directBurst: 5, groupPerMinute: 60 },
  uploadBytes: 10 * 1_024 * 1_024,
  downloadBytes: 25_000_000
}

const errorMark = "⚠️ "

const fits = ({ data }: Button) => data !== "" && new TextEncoder().encode(data).length <= limits.buttons.data

/** Discord refuses a message in which two buttons have the same data. */
const rowsOf = (buttons: ReadonlyArray<ReadonlyArray<Button>>): ReadonlyArray<ReadonlyArray<Button>> => {
  const taken = new Set<string>()
  const short = buttons.map((row) =>
    row.filter(fits).flatMap(({ label, data }) => {
      if (taken.has(data)) return []
      taken.add(data)
      return [{ label: shortLine(label, limits.buttons.label) || "…", data }]
    })
  )
  return short
    .flatMap((row) =>
      Array.from({ length: Math.ceil(row.length / inRow) }, (_, at) => row.slice(at * inRow, (at + 1) * inRow))
    )
    .slice(0, rows)
}

const nameOf = (path: string) => path.split(/[\\/]/).at(-1) ?? ""

interface OwnPiece extends Piece {
  readonly body: Body
}

const isShort = (rich: RichText) => write(rich).length <= limits.text

/** Discord takes white space away at both ends; what is looked for later has none either. */
const pieceOf = (rich: RichText): OwnPiece => ({ text: rich.text, body: { content: write(rich).trim() } })

const textPieces = (text: string, isError: boolean): ReadonlyArray<OwnPiece> => {
  const rich = withAddresses(richText(text))
  const marked = isError && rich.text.trim() !== "" ? joined(plain(errorMark), rich) : rich
  return cut(marked, isShort, { entities: Number.MAX_SAFE_INTEGER, numbered: true })
    .map(pieceOf)
    .filter(({ body }) => body.content.replace(/[\s\u200b]/g, "") !== "")
}

export const render = (payload: ReplyPayload): ReadonlyArray<Piece> => {
  const { text = "", mediaUrls = [], isError = false, buttons = [], silent = false } = payload
  const files = mediaUrls.map((path): OwnPiece => ({ text: nameOf(path), body: { content: "" }, file: path }))
  const pieces = [...textPieces(text, isError), ...files]
  const below = rowsOf(buttons)
  return pieces.map((piece, at) => ({
    ...piece,
    body: {
      ...piece.body,
      ...(at === pieces.length - 1 && below.length > 0 ? { buttons: below } : {}),
      ...(silent ? { silent } : {})
    }
  }))
}
