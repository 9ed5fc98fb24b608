/**
 * Payloads → messages of Slack; pure. Pieces of the text, numbered if there are several, then each file; an upload has no
 * buttons, so with buttons the text comes last.
 */
import { Schema } from "effect"
import { cut } from "../../../bridge/format/cut.ts"
import { joined, plain, type RichText } from "../../../bridge/format/entities.ts"
import { richText } from "../../../bridge/format/richText.ts"
import type { ChannelLimits } from "../../../bridge/messages/Channel.ts"
import { Button, type Piece, type ReplyPayload } from "../../../bridge/messages/ReplyPayload.ts"
import { shortLine } from "../../../contract/text/harmless.ts"
import { notification, richBlock } from "./form.ts"

/** A piece in Slack's own form, as the outbox stores it. */
const Body = Schema.Struct({
  /** Without marks. Empty for a file. */
  text: Schema.String,
  /** The text with its marks. */
  block: Schema.optionalKey(Schema.Json),
  buttons: Schema.optionalKey(Schema.Array(Schema.Array(Button)))
})
export type Body = typeof Body.Type
export const isBody = Schema.is(Body)

/** Readable: Slack takes some 9,000 characters of all blocks, and says nowhere how many. */
const longest = 3_000

export const limits: ChannelLimits = {
  text: longest,
  buttons: { most: 25, label: 75, data: 2_000 },
  pace: { directPerMinute: 60, directBurst: 3, groupPerMinute: 60, editsPerMinute: 45 },
  uploadBytes: 100_000_000,
  downloadBytes: 100_000_000
}

const mostEntities = 100
const errorMark = "⚠️ "

const isShown = ({ text }: RichText) => text.replace(/[\s\p{Cc}\p{Cf}\u2800]/gu, "") !== ""

/** Addresses of links are not seen, but are part of a message's length. */
const isShort = ({ text, entities }: RichText) =>
  text.length <= longest &&
  entities.reduce((sum, entity) => sum + (entity.type === "link" ? entity.url.length : 0), text.length) <= 2 * longest

const isTaken = ({ data }: Button) => data !== "" && new TextEncoder().encode(data).length <= limits.buttons.data

const rowsOf = (buttons: ReadonlyArray<ReadonlyArray<Button>>): ReadonlyArray<ReadonlyArray<Button>> => {
  let left = limits.buttons.most
  return buttons.flatMap((row) => {
    const taken = row.filter(isTaken).slice(0, left)
    left -= taken.length
    if (taken.length === 0) return []
    return [taken.map(({ label, data }) => ({ label: shortLine(label, limits.buttons.label) || "…", data }))]
  })
}

interface OwnPiece extends Piece {
  readonly body: Body
}

const textPieces = (text: string, isError: boolean): ReadonlyArray<OwnPiece> => {
  const rich = richText(text.toWellFormed())
  const marked = isError && isShown(rich) ? joined(plain(errorMark), rich) : rich
  return cut(marked, isShort, { entities: mostEntities, numbered: true })
    .filter(isShown)
    .map((piece) => ({ text: piece.text, body: { text: piece.text, block: richBlock(piece) } }))
}

const nameOf = (path: string) => path.split(/[\\/]/).at(-1) ?? ""

export const render = (payload: ReplyPayload): ReadonlyArray<Piece> => {
  const { text = "", mediaUrls = [], isError = false, buttons = [] } = payload
  const rows = rowsOf(buttons)
  const hasButtons = rows.length > 0
  const files = mediaUrls.map((path): OwnPiece => ({ text: nameOf(path), body: { text: "" }, file: path }))
  const own = textPieces(text, isError)
  const texts = hasButtons && own.length === 0 && files.length > 0 ? textPieces("Choose:", false) : own
  const pieces = hasButtons ? [...files, ...texts] : [...texts, ...files]
  return pieces.map((piece, at) =>
    at === pieces.length - 1 && hasButtons ? { ...piece, body: { ...piece.body, buttons: rows } } : piece
  )
}

const actionsOf = ({ buttons = [] }: Body) => {
  let count = 0
  return buttons.map((row) => ({
    type: "actions",
    elements: row.map(({ label, data }) => ({
      type: "button",
      text: { type: "plain_text", text: label, emoji: false },
      value: data,
      // Differs in each message.
      action_id: `b${count++}`
    }))
  }))
}

/** The content of a message. `plain`: without marks, for Slack to take what it refused. */
export const contentOf = (body: Body, form: "rich" | "plain" = "rich") => ({
  text: notification(body.text),
  blocks: [
    form === "rich" && body.block !== undefined
      ? body.block
      : { type: "section", text: { type: "plain_text", text: body.text, emoji: false } },
    ...actionsOf(body)
  ]
})
