/**
 * The lines that ask a person about a message whose delivery is not known, and their keys; pure. The button names the
 * message by a hash of its key, so that it fits every channel.
 */
import { createHash } from "node:crypto"
import { basename } from "node:path"
import { harmless } from "../../contract/text/harmless.ts"
import type { NewPiece, OutboxRow, PieceKind } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import { conversationText } from "../messages/Conversation.ts"

type Asked = Pick<OutboxRow, "key" | "conversation" | "kind" | "piece" | "turnId" | "at">
type Renderer = Pick<Channel, "render" | "limits">

/** The data of the button that shows it. */
export const showData = (key: string): string =>
  `s:${createHash("sha256").update(key).digest().subarray(0, 12).toString("base64url")}`

const nouns: { readonly [Kind in PieceKind]: string } = {
  answer: "An answer",
  gateway: "A message",
  notice: "A message",
  request: "A question",
  ask: "A message"
}

const nounOf = ({ kind, piece: { file } }: Asked) =>
  file === undefined ? nouns[kind] : `The file ${harmless(basename(file)).slice(0, 100)}`

const day = 24 * 3_600_000

/** When it was said, by the clock on the wall of this machine. */
const timeOf = (at: number, now: number) => {
  const time = new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
  return now - at < day ? time : `${new Date(at).toLocaleDateString("en-CA")} ${time}`
}

/** A line of the bridge, as pieces with keys that begin with `key`. */
const linePieces = (
  { render, limits }: Renderer,
  { conversation, turnId }: Pick<Asked, "conversation" | "turnId">,
  { key, kind, text, show }: { readonly key: string; readonly kind: PieceKind; readonly text: string; show?: string }
): ReadonlyArray<NewPiece> => {
  const hasButtons = limits.buttons.most > 0
  const way = hasButtons ? "" : '. Write "Show" to see it'
  const payload = show === undefined ? { text } : { text: `${text}${way}` }
  const buttons = show === undefined || !hasButtons ? {} : { buttons: [[{ label: "Show", data: show }]] }
  return render({ ...payload, ...buttons }).map((piece, at) => ({
    key: at === 0 ? key : `${key}.${at}`,
    conversation,
    kind,
    piece,
    ...(turnId === undefined ? {} : { turnId })
  }))
}

/** It may be there, or not. */
export const maybeMissing = (channel: Renderer, row: Asked): ReadonlyArray<NewPiece> =>
  linePieces(channel, row, {
    key: `${row.key}/ask/0`,
    kind: "ask",
    text: `${nounOf(row)} may be missing here`,
    show: showData(row.key)
  })

/** It has become too old to be sent unasked. */
export const tooOld = (channel: Renderer, row: Asked, now: number): ReadonlyArray<NewPiece> =>
  linePieces(channel, row, {
    key: `${row.key}/ask/0`,
    kind: "ask",
    text: `${nounOf(row)} of ${timeOf(row.at, now)} is here`,
    show: showData(row.key)
  })

/** How often a question was asked before this one. */
export const askNumber = (key: string): number => Number(/\/ask\/(\d+)(?:\.\d+)?$/.exec(key)?.[1] ?? 0)

/** The question that becomes lost itself, once more. */
export const askedAgain = ({ key, conversation, piece, turnId }: Asked): NewPiece => ({
  key: key.replace(/\/ask\/\d+(\.\d+)?$/, (_, part = "") => `/ask/${askNumber(key) + 1}${part}`),
  conversation,
  kind: "ask",
  piece,
  ...(turnId === undefined ? {} : { turnId })
})

/** Instead of a piece that was refused for good; none for lines of the bridge. */
export const refused = (channel: Renderer, row: Asked): ReadonlyArray<NewPiece> =>
  row.kind === "notice" || row.kind === "ask"
    ? []
    : linePieces(channel, row, {
        key: `${row.key}/refused`,
        kind: "notice",
        text: `${nounOf(row)} could not be delivered: the channel refuses it`
      })

/** Once for a thread: where its messages come now. */
export const threadGone = (channel: Renderer, row: Asked): ReadonlyArray<NewPiece> => {
  const { threadId: _, ...conversation } = row.conversation
  const key = `left-thread ${conversationText(row.conversation)}`
  const text = "The thread of a conversation is gone: what is said in it comes here"
  return linePieces(channel, { conversation }, { key, kind: "notice", text })
}
