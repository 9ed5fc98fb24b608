/** Lines that ask a person about a message whose delivery is unknown. Buttons name it by a short hash. */
import { createHash } from "node:crypto"
import { basename } from "node:path"
import { Effect } from "effect"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import type { ChangeError } from "../journal/account.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { NewPiece, OutboxRow, PieceKind } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"

type Asked = Pick<OutboxRow, "key" | "conversation" | "kind" | "piece" | "turnId" | "at">
type Renderer = Pick<Channel, "render" | "limits">

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

/** By the clock and the zone of this machine. */
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

const question = (channel: Renderer, row: Asked, text: string) =>
  linePieces(channel, row, { key: `${row.key}/ask/0`, kind: "ask", text, show: showData(row.key) })

export const maybeMissing = (channel: Renderer, row: Asked): ReadonlyArray<NewPiece> =>
  question(channel, row, `${nounOf(row)} may be missing here`)

/** For a piece that has become too old to be sent unasked. */
export const tooOld = (channel: Renderer, row: Asked, now: number): ReadonlyArray<NewPiece> =>
  question(channel, row, `${nounOf(row)} of ${timeOf(row.at, now)} is here`)

/** How often a question was asked before this one. */
export const askNumber = (key: string): number => Number(/\/ask\/(\d+)(?:\.\d+)?$/.exec(key)?.[1] ?? 0)

/** Repeats a question that became lost itself. */
export const askedAgain = ({ key, conversation, piece, turnId }: Asked): NewPiece => ({
  key: key.replace(/\/ask\/\d+(\.\d+)?$/, (_, part = "") => `/ask/${askNumber(key) + 1}${part}`),
  conversation,
  kind: "ask",
  piece,
  ...(turnId === undefined ? {} : { turnId })
})

/** Replaces a piece that was refused for good; lines of the bridge are not replaced. */
export const refused = (channel: Renderer, row: Asked): ReadonlyArray<NewPiece> =>
  row.kind === "notice" || row.kind === "ask"
    ? []
    : linePieces(channel, row, {
        key: `${row.key}/refused`,
        kind: "notice",
        text: `${nounOf(row)} could not be delivered: the channel refuses it`
      })

/** Says once for a thread where its messages come now. */
export const threadGone = (channel: Renderer, row: Asked): ReadonlyArray<NewPiece> => {
  const { threadId: _, ...conversation } = row.conversation
  const key = `left-thread ${conversationText(row.conversation)}`
  const text = "The thread of a conversation is gone: what is said in it comes here"
  return linePieces(channel, { conversation }, { key, kind: "notice", text })
}

/** `there`: it has arrived, or is on its way. */
export type Shown = "shown" | "there" | "nothing"

type Outbox = Pick<AccountJournal, "outbox">

/** The key without the suffix of an earlier repetition. */
const baseOf = (key: string) => key.replace(/\/shown\/\d+$/, "")

/** The first unused key; undefined if the piece before it has arrived or is on its way. */
const nextKey = Effect.fn(...untraced("Asking.nextKey"))(function* ({ outbox }: Outbox, base: string) {
  for (let number = 0; ; number += 1) {
    const key = `${base}/shown/${number}`
    const state = (yield* outbox.get(key))?.state
    if (state === undefined) return key
    if (state !== "unknown" && state !== "failed") return
  }
})

const show = Effect.fn(...untraced("Asking.show"))(function* (
  journal: Outbox,
  { key, conversation, piece, turnId }: OutboxRow
) {
  const shownKey = yield* nextKey(journal, baseOf(key))
  if (shownKey === undefined) return false
  const turn = turnId === undefined ? {} : { turnId }
  yield* journal.outbox.put([{ key: shownKey, conversation, piece, kind: "notice", ...turn }])
  return true
})

/** Puts missing messages into the outbox once more: that of a button's `data`, or all. Old ones are shown together. */
export const showMissing = Effect.fn(...untraced("Asking.showMissing"))(function* (
  journal: Outbox,
  conversation: Conversation,
  data: string | undefined
): Effect.fn.Return<Shown, ChangeError> {
  const missing = (yield* journal.outbox.unknownIn(conversation)).filter(({ kind }) => kind !== "ask")
  const named = missing.find(({ key }) => showData(key) === data)
  if (data !== undefined && named === undefined) return "nothing"
  const requested =
    named === undefined
      ? missing.filter(({ key }) => key === baseOf(key))
      : named.reason === "old"
        ? missing.filter(({ reason }) => reason === "old")
        : [named]
  if (requested.length === 0) return "nothing"
  const results = yield* Effect.forEach(requested, (row) => show(journal, row))
  return results.includes(true) ? "shown" : "there"
})
