/**
 * Payloads → pieces of the outbox, in order: at most eight for each payload. A longer text goes into a file as a whole,
 * if the channel takes files and a directory for them exists.
 */
import { Effect } from "effect"
import type { NewPiece, PieceKind } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Piece, ReplyPayload } from "../messages/ReplyPayload.ts"

/** The last one tells where the rest is. */
const mostPieces = 8

export interface PieceOptions {
  readonly channel: Pick<Channel, "render">
  readonly conversation: Conversation
  readonly turnId: string
  readonly kind?: PieceKind
  /** Writes a long text; gives its path, or undefined where it cannot be sent. The same name is the same file. */
  readonly write: (name: string, text: string) => Effect.Effect<string | undefined>
  /** Below the last text; in Markdown. Default: nothing. */
  readonly footer?: ((text: string) => string) | undefined
}

const shortened = Effect.fnUntraced(function* (
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
  // Nothing is lost where no file can be sent: it is long.
  if (!rest.some(({ file }) => file === path)) return pieces
  return [...pieces.slice(0, mostPieces - 1), ...rest]
})

/** Their keys are those of every attempt: the turn, the number of the payload, the number of the piece. */
export const piecesOf = Effect.fnUntraced(function* (
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
