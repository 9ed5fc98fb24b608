/**
 * Payloads → messages of WhatsApp; pure. Pieces of the text, numbered if there are several, then each file; a message with
 * buttons is shorter, and comes last.
 */
import { Schema } from "effect"
import { cut } from "../../../bridge/format/cut.ts"
import { joined, plain, type RichText, trimmedEntity } from "../../../bridge/format/entities.ts"
import { richText } from "../../../bridge/format/richText.ts"
import type { ChannelLimits } from "../../../bridge/messages/Channel.ts"
import { Button, type Piece, type ReplyPayload } from "../../../bridge/messages/ReplyPayload.ts"
import { present } from "../../../contract/present.ts"
import { cutAt, shortLine } from "../../../contract/text/harmless.ts"
import { formatted, lengthOf } from "./form.ts"

/** A piece in WhatsApp's own form, as the outbox stores it. */
const Body = Schema.Struct({
  /** Empty for a file. */
  text: Schema.String,
  /** Up to three are buttons, more are a list. */
  buttons: Schema.optionalKey(Schema.Array(Button)),
  replyToId: Schema.optionalKey(Schema.String)
})
export type Body = typeof Body.Type
export const isBody = Schema.is(Body)

export const limits: ChannelLimits = {
  text: 4_096,
  buttons: { most: 10, label: 20, data: 200 },
  // 45 at once to one person, on the credit of those that come after.
  pace: { allPerSecond: 70, directPerMinute: 10, directBurst: 45 },
  uploadBytes: 100_000_000,
  downloadBytes: 100_000_000
}

/** In UTF-16 units, which are never fewer than WhatsApp's characters. */
const longestWithButtons = 1_024
export const mostReplyButtons = 3
const mostEntities = 100
const errorMark = "⚠️ "

const isShown = ({ text }: RichText) => text.replace(/[\s\p{Cc}\p{Cf}\u2800]/gu, "") !== ""

const fits = ({ data }: Button) => data !== "" && new TextEncoder().encode(data).length <= limits.buttons.data

/** Labels of one message differ: a number at the end of a label that is there already. */
const distinct = (labels: ReadonlyArray<string>): ReadonlyArray<string> => {
  const used = new Set<string>()
  return labels.map((label) => {
    let own = label
    for (let number = 2; used.has(own); number++) {
      const mark = ` ${number}`
      own = cutAt(label, limits.buttons.label - mark.length).head + mark
    }
    used.add(own)
    return own
  })
}

const choicesOf = (buttons: ReadonlyArray<ReadonlyArray<Button>>): ReadonlyArray<Button> => {
  const known = new Set<string>()
  const own = buttons
    .flat()
    .filter((button) => fits(button) && !known.has(button.data) && known.add(button.data))
    .slice(0, limits.buttons.most)
  const labels = distinct(own.map(({ label }) => shortLine(label, limits.buttons.label) || "…"))
  return own.map(({ data }, at) => ({ label: labels[at] ?? "…", data }))
}

const sliceOf = ({ text, entities }: RichText, end: number): RichText => ({
  text: text.slice(0, end),
  entities: entities.flatMap((entity) =>
    entity.offset >= end
      ? []
      : trimmedEntity(text.slice(0, end), { ...entity, length: Math.min(entity.length, end - entity.offset) })
  )
})

/** Only a short message has buttons: the end of a longer one is a message of its own. */
const cutEnd = (rich: RichText): ReadonlyArray<RichText> => {
  const pieces = cut(rich, (piece) => lengthOf(piece) <= longestWithButtons, { entities: mostEntities })
  const last = pieces.at(-1)
  if (last === undefined || pieces.length < 3 || !rich.text.endsWith(last.text)) return pieces
  return [sliceOf(rich, rich.text.length - last.text.length), last]
}

interface OwnPiece extends Piece {
  readonly body: Body
}

const textPieces = (text: string, isError: boolean, hasButtons: boolean): ReadonlyArray<OwnPiece> => {
  const rich = richText(text.toWellFormed())
  const marked = isError && isShown(rich) ? joined(plain(errorMark), rich) : rich
  const room = (piece: RichText) => lengthOf(piece) <= limits.text
  const numbered = cut(marked, room, { entities: mostEntities, numbered: true }).filter(isShown)
  const last = numbered.at(-1)
  const pieces = hasButtons && last !== undefined ? [...numbered.slice(0, -1), ...cutEnd(last)] : numbered
  return pieces.filter(isShown).map((piece) => ({ text: piece.text, body: { text: formatted(piece) } }))
}

const nameOf = (path: string) => path.split(/[\\/]/).at(-1) ?? ""

export const render = (payload: ReplyPayload): ReadonlyArray<Piece> => {
  const { text = "", mediaUrls = [], isError = false, replyToId, buttons = [] } = payload
  const choices = choicesOf(buttons)
  const hasButtons = choices.length > 0
  const files = mediaUrls.map((path): OwnPiece => ({ text: nameOf(path), body: { text: "" }, file: path }))
  const own = textPieces(text, isError, hasButtons)
  // A file has no buttons.
  const texts = hasButtons && own.length === 0 && files.length > 0 ? textPieces("Choose:", false, true) : own
  const pieces = hasButtons ? [...files, ...texts] : [...texts, ...files]
  return pieces.map((piece, at) => ({
    ...piece,
    body: {
      ...piece.body,
      ...(at === 0 ? present({ replyToId }) : {}),
      ...(at === pieces.length - 1 && hasButtons ? { buttons: choices } : {})
    }
  }))
}
