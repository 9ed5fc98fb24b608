/**
 * What is to be said → pieces of the outbox, in order: at most eight for each payload. The whole of a longer text goes into
 * a file, where the channel takes one and there is a place for it.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Effect, FileSystem } from "effect"
import type { NewPiece, PieceKind } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Piece, ReplyPayload } from "../messages/ReplyPayload.ts"

/** The last one tells where the rest is. */
const mostPieces = 8

export interface PieceOptions {
  readonly channel: Pick<Channel, "render" | "limits">
  readonly conversation: Conversation
  readonly turnId: string
  readonly kind?: PieceKind
  /** Where files of long texts are written, readable by this user alone. Default: the person is told of `/export`. */
  readonly directory?: string
}

/** The same text of the same turn is the same file, also after a restart. */
const writeWhole = Effect.fnUntraced(function* (directory: string, name: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = join(directory, `answer-${createHash("sha256").update(name).digest("hex").slice(0, 16)}.md`)
  yield* fs.makeDirectory(directory, { recursive: true, mode: 0o700 })
  yield* fs.writeFileString(path, text, { mode: 0o600 })
  return path
})

const fileFor = ({ channel, directory }: PieceOptions, name: string, text: string) => {
  if (directory === undefined || Buffer.byteLength(text) > channel.limits.uploadBytes) return Effect.undefined
  return writeWhole(directory, name, text).pipe(
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("the file of a long answer could not be written", cause), undefined)
    )
  )
}

const shortened = Effect.fnUntraced(function* (
  options: PieceOptions,
  name: string,
  payload: ReplyPayload,
  pieces: ReadonlyArray<Piece>
): Effect.fn.Return<ReadonlyArray<Piece>, never, FileSystem.FileSystem> {
  const first = pieces.slice(0, mostPieces - 1)
  const left = pieces.length - first.length
  const path = yield* fileFor(options, name, payload.text ?? "")
  const buttons = payload.buttons === undefined ? {} : { buttons: payload.buttons }
  if (path === undefined)
    return [...first, ...options.channel.render({ text: `… and ${left} more parts: /export`, ...buttons })]
  const rest = options.channel.render({ text: "… the whole text is in the file", mediaUrls: [path], ...buttons })
  return [...first, ...rest]
})

/** Their keys are those of every attempt: the turn, the number of the payload, the number of the piece. */
export const piecesOf = Effect.fnUntraced(function* (
  options: PieceOptions,
  payloads: ReadonlyArray<ReplyPayload>
): Effect.fn.Return<ReadonlyArray<NewPiece>, never, FileSystem.FileSystem> {
  const { channel, conversation, turnId, kind = "answer" } = options
  const all = yield* Effect.forEach(payloads, (payload, ordinal) =>
    Effect.gen(function* () {
      const name = `${turnId}/${ordinal}`
      const rendered = channel.render(payload)
      const files = rendered.filter(({ file }) => file !== undefined)
      const isLong = rendered.length - files.length > mostPieces
      const texts = isLong ? rendered.filter(({ file }) => file === undefined) : []
      const pieces = isLong ? [...(yield* shortened(options, name, payload, texts)), ...files] : rendered
      return pieces.map((piece, at): NewPiece => ({ key: `${name}/${at}`, conversation, kind, piece, turnId }))
    })
  )
  return all.flat()
})
