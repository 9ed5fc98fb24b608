/**
 * Payloads → messages of Telegram: text with entities, never a parse mode; pure. Pieces of the text, numbered if there are
 * several, then each file; buttons below the last.
 */

import { Schema } from "effect"
import { cut } from "../../../bridge/format/cut.ts"
import { type Entity, joined, plain, type RichText } from "../../../bridge/format/entities.ts"
import { richText } from "../../../bridge/format/richText.ts"
import type { ChannelLimits } from "../../../bridge/messages/Channel.ts"
import type { Piece, ReplyPayload } from "../../../bridge/messages/ReplyPayload.ts"
import { Button } from "../../../bridge/messages/ReplyPayload.ts"
import { present } from "../../../contract/present.ts"
import { shortLine } from "../../../contract/text/harmless.ts"

const span = { offset: Schema.Finite, length: Schema.Finite }
const BodyEntity = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["bold", "italic", "strikethrough", "code", "blockquote"]), ...span }),
  Schema.Struct({ type: Schema.Literal("pre"), ...span, language: Schema.optionalKey(Schema.String) }),
  Schema.Struct({ type: Schema.Literal("text_link"), ...span, url: Schema.String })
])
type BodyEntity = typeof BodyEntity.Type

/** A piece in Telegram's own shape, as the outbox stores it. */
const Body = Schema.Struct({
  /** Empty for a file. */
  text: Schema.String,
  entities: Schema.optionalKey(Schema.Array(BodyEntity)),
  buttons: Schema.optionalKey(Schema.Array(Schema.Array(Button))),
  replyToId: Schema.optionalKey(Schema.String),
  silent: Schema.optionalKey(Schema.Literal(true)),
  /** `photo` is shown in the chat, if Telegram accepts it as one. */
  file: Schema.optionalKey(Schema.Literals(["photo", "document"]))
})
export type Body = typeof Body.Type
export const isBody = Schema.is(Body)

/** Telegram accepts 4,096, but throttles long messages first, and apps fold them. */
const longest = 3_500

export const limits: ChannelLimits = {
  text: longest,
  buttons: { most: 100, label: 64, data: 64 },
  pace: { allPerSecond: 30, directPerMinute: 60, directBurst: 5, groupPerMinute: 20 },
  uploadBytes: 50_000_000,
  downloadBytes: 20_000_000
}

const mostEntities = 100
const mostInRow = 8
const errorMark = "⚠️ "

/** Telegram drops these characters, and refuses a text of nothing else. */
const dropped = /[\s\p{Cc}\u2028-\u202e]|\u030a|\u0333|\u033f/gu
const isShown = ({ text }: RichText) => text.replace(dropped, "") !== ""

const entityOf = (entity: Entity): BodyEntity =>
  entity.type === "link" ? { type: "text_link", offset: entity.offset, length: entity.length, url: entity.url } : entity

const fits = ({ data }: Button) => data !== "" && new TextEncoder().encode(data).length <= limits.buttons.data

const rowsOf = (buttons: ReadonlyArray<ReadonlyArray<Button>>): ReadonlyArray<ReadonlyArray<Button>> => {
  let left = limits.buttons.most
  return buttons.flatMap((row) => {
    const taken = row.filter(fits).slice(0, left)
    left -= taken.length
    const short = taken.map(({ label, data }) => ({ label: shortLine(label, limits.buttons.label) || "…", data }))
    return Array.from({ length: Math.ceil(short.length / mostInRow) }, (_, at) =>
      short.slice(at * mostInRow, (at + 1) * mostInRow)
    )
  })
}

const nameOf = (path: string) => path.split(/[\\/]/).at(-1) ?? ""
const isPhoto = (path: string) => /\.(?:jpe?g|png|webp)$/i.test(path)

interface OwnPiece extends Piece {
  readonly body: Body
}

const textPieces = (text: string, isError: boolean): ReadonlyArray<OwnPiece> => {
  const rich = richText(text)
  const marked = isError && isShown(rich) ? joined(plain(errorMark), rich) : rich
  return cut(marked, limits.text, { entities: mostEntities, numbered: true })
    .filter(isShown)
    .map(({ text: own, entities }) => ({
      text: own,
      body: { text: own, ...(entities.length === 0 ? {} : { entities: entities.map(entityOf) }) }
    }))
}

export const render = (payload: ReplyPayload): ReadonlyArray<Piece> => {
  const { text = "", mediaUrls = [], isError = false, replyToId, buttons = [], silent = false } = payload
  const files = mediaUrls.map(
    (path): OwnPiece => ({
      text: nameOf(path),
      body: { text: "", file: isPhoto(path) ? "photo" : "document" },
      file: path
    })
  )
  const pieces = [...textPieces(text, isError), ...files]
  const rows = rowsOf(buttons)
  return pieces.map((piece, at) => ({
    ...piece,
    body: {
      ...piece.body,
      ...(at === 0 ? present({ replyToId }) : {}),
      ...(at === pieces.length - 1 && rows.length > 0 ? { buttons: rows } : {}),
      ...(silent ? { silent } : {})
    }
  }))
}
