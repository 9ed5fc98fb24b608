/** Payloads → pieces of the outbox, at most eight for each; a longer text becomes a file, if files can be sent. */
import { Effect } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { sameText } from "../format/richText.ts"
import type { NewPiece, PieceKind } from "../journal/outbox.ts"
import type { SentMessage } from "../messages/AgentDeliveryResult.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Piece, ReplyPayload } from "../messages/ReplyPayload.ts"

/** The last one says where the rest is. */
const mostPieces = 8

export interface PieceOptions {
  readonly channel: Pick<Channel, "render">
  readonly conversation: Conversation
  readonly turnId: string
  readonly kind?: PieceKind
  /** Writes a long text; returns its path, or undefined if it cannot be sent. A name always gives the same file. */
  readonly write: (name: string, text: string) => Effect.Effect<string | undefined>
  /** Below the last text; in Markdown. Default: nothing. */
  readonly footer?: ((text: string) => string) | undefined
}

const shortened = Effect.fn(...untraced("PayloadPieces.shortened"))(function* (
  { channel, write, footer = (text) => text }: PieceOptions,
  name: string,
  payload: ReplyPayload,
  pieces: ReadonlyArray<Piece>
): Effect.fn.Return<ReadonlyArray<Piece>> {
  const buttons = payload.buttons === undefined ? {} : { buttons: payload.buttons }
  const path = yield* write(`answer-${name}.md`, payload.text ?? "")
  const rest =
    path === undefined
      ? []
      : channel.render({ text: footer("… the whole text is in the file."), mediaUrls: [path], ...buttons })
  // A long text is better than a lost one.
  if (!rest.some(({ file }) => file === path)) return pieces
  return [...pieces.slice(0, mostPieces - 1), ...rest]
})

/** The keys are the same in every attempt: turn, number of the payload, number of the piece. */
export const piecesOf = Effect.fn(...untraced("PayloadPieces.piecesOf"))(function* (
  options: PieceOptions,
  payloads: ReadonlyArray<ReplyPayload>
): Effect.fn.Return<ReadonlyArray<NewPiece>> {
  const { channel, conversation, turnId, kind = "answer", footer } = options
  const last = payloads.findLastIndex(({ text = "", isError = false }) => text !== "" && !isError)
  const all = yield* Effect.forEach(payloads, (payload, ordinal) =>
    Effect.gen(function* () {
      const name = `${turnId}/${ordinal}`
      const own = ordinal === last ? footer : undefined
      const rendered = channel.render(own === undefined ? payload : { ...payload, text: own(payload.text ?? "") })
      const files = rendered.filter(({ file }) => file !== undefined)
      const texts = rendered.filter(({ file }) => file === undefined)
      const isLong = texts.length > mostPieces
      const pieces = isLong
        ? [...(yield* shortened({ ...options, footer: own }, name, payload, texts)), ...files]
        : rendered
      return pieces.map((piece, at): NewPiece => ({ key: `${name}/${at}`, conversation, kind, piece, turnId }))
    })
  )
  return all.flat()
})

// Avoids repeating messages that the agent has sent itself: only equal texts, sent to the same place in this turn.

/** How a tool's send affects the answer: `equal` texts are not repeated; `silent` drops the answer after any send. */
export type OnToolSend = "equal" | "silent"

const wentTo = ({ target, state }: SentMessage, { channel, accountId, chatId, threadId }: Conversation) =>
  state !== "failed" &&
  target.provider === channel &&
  target.accountId === accountId &&
  target.to === chatId &&
  target.threadId === threadId

/** White space is folded, and nothing else. An empty text was never sent. */
export const isSaid = (text: string, sends: ReadonlyArray<SentMessage>, conversation: Conversation): boolean =>
  text.trim() !== "" && sends.some((send) => wentTo(send, conversation) && sameText(send.text, text))

/** Errors and buttons always remain; so do files that the agent has not sent itself. */
export const unsaid = (
  payloads: ReadonlyArray<ReplyPayload>,
  sends: ReadonlyArray<SentMessage>,
  conversation: Conversation,
  onToolSend: OnToolSend = "equal"
): ReadonlyArray<ReplyPayload> => {
  const here = sends.filter((send) => wentTo(send, conversation))
  const sentMedia = new Set(here.flatMap(({ mediaUrls }) => mediaUrls))
  return payloads.flatMap((payload) => {
    const { text = "", mediaUrls = [], isError = false, buttons = [] } = payload
    if (isError || buttons.length > 0) return [payload]
    if (onToolSend === "silent" && here.length > 0) return []
    if (!isSaid(text, here, conversation)) return [payload]
    const rest = mediaUrls.filter((url) => !sentMedia.has(url))
    const { text: _, ...withoutText } = payload
    return rest.length === 0 ? [] : [{ ...withoutText, mediaUrls: rest }]
  })
}
