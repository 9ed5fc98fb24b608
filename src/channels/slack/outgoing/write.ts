/**
 * Sends, looks, edits and removals: one attempt each. Each message has its key as metadata, by which it is found again. What
 * Slack refuses for its form surely does not exist, and is tried once more without marks.
 */
import { createHash } from "node:crypto"
import { Effect, Option, Schema } from "effect"
import type { Channel } from "../../../bridge/messages/Channel.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import type { MessageRef, Piece } from "../../../bridge/messages/ReplyPayload.ts"
import { SendError, type SendReason } from "../../../bridge/messages/SendError.ts"
import { shortLine } from "../../../contract/text/harmless.ts"
import type { Client } from "../calls/client.ts"
import { type CallFailure, isOfForm, reasonOf } from "../calls/failure.ts"
import { isChat, isOfSlack, isTs } from "../place.ts"
import { type CheckedSlack, channelId } from "../SlackOptions.ts"
import { notification } from "./form.ts"
import { type Body, contentOf, isBody } from "./render.ts"
import { makeUpload, nameOfFile } from "./upload.ts"

const fail = (reason: SendReason) => Effect.fail(new SendError({ reason }))
const refused = (description: string) => fail({ _tag: "Refused", description })
const noMessage = fail({ _tag: "Gone", what: "message" })

const asSendError = (method: string) => (failure: CallFailure) => new SendError({ reason: reasonOf(failure, method) })

const eventType = "reins_piece"
const metadataOf = (key: string) => ({
  event_type: eventType,
  event_payload: { key: createHash("sha256").update(key).digest("base64url").slice(0, 32) }
})

const { optionalKey, NullOr } = Schema
const maybe = <S extends Schema.Top>(schema: S) => optionalKey(NullOr(schema))

const readSent = Schema.decodeUnknownOption(Schema.Struct({ ts: Schema.String }))

const readPage = Schema.decodeUnknownOption(
  Schema.Struct({
    messages: Schema.Array(Schema.Unknown),
    has_more: maybe(Schema.Boolean),
    response_metadata: maybe(Schema.Struct({ next_cursor: maybe(Schema.String) }))
  })
)

const readMessage = Schema.decodeUnknownOption(
  Schema.Struct({
    ts: Schema.String,
    bot_id: maybe(Schema.String),
    metadata: maybe(
      Schema.Struct({ event_type: Schema.String, event_payload: Schema.Struct({ key: maybe(Schema.String) }) })
    ),
    files: maybe(Schema.Array(Schema.Struct({ name: maybe(Schema.String) })))
  })
)
type Found = Option.Option.Value<ReturnType<typeof readMessage>>

const [pageLength, mostPages] = [200, 2]

const responseHosts = ["hooks.slack.com"]
/** In UTF-16 units. */
const longestAcknowledgement = 300
/** In ms. */
const acknowledgementMs = 10_000

export interface WriteOptions extends Pick<CheckedSlack, "apiRoot"> {
  readonly accountId: string
  readonly client: Pick<Client, "call" | "post">
}

export const makeAcknowledge =
  ({ client, apiRoot }: Omit<WriteOptions, "accountId">): Channel["acknowledge"] =>
  ({ press, conversation: { threadId } }, text) => {
    const url = Option.getOrUndefined(readPress(press))?.responseUrl
    const visible = text === undefined ? "" : shortLine(text, longestAcknowledgement)
    if (visible === "" || url === undefined || !isOfSlack(url, responseHosts, { apiRoot })) return Effect.void
    const answer = {
      response_type: "ephemeral",
      replace_original: false,
      text: notification(visible),
      ...(isTs(threadId) ? { thread_ts: threadId } : {})
    }
    return Effect.catch(client.post(url, answer, { deadlineMs: acknowledgementMs }), (failure) =>
      Effect.logDebug("a press could not be acknowledged", { reason: failure._tag })
    )
  }

const readPress = Schema.decodeUnknownOption(Schema.Struct({ responseUrl: Schema.String }))

export const makeWrite = ({ accountId, client, apiRoot }: WriteOptions) => {
  const { call } = client
  const upload = makeUpload({ client, apiRoot })

  const isOurs = ({ channel, accountId: account, chatId }: Conversation) =>
    channel === channelId && account === accountId && isChat(chatId)

  const threadOf = ({ threadId }: Conversation) => (isTs(threadId) ? { thread_ts: threadId } : {})

  const written = (method: string, place: object, body: Body) =>
    call(method, { ...place, ...contentOf(body) }).pipe(
      Effect.catchIf(isOfForm, () => call(method, { ...place, ...contentOf(body, "plain") })),
      Effect.mapError(asSendError(method))
    )

  const send: Channel["send"] = Effect.fnUntraced(function* (to, { body, file }, key) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isBody(body)) return yield* refused("it has the shape of another channel")
    if (file !== undefined) return { conversation: to, messageId: yield* upload(to.chatId, threadOf(to), file) }
    const place = {
      channel: to.chatId,
      ...threadOf(to),
      metadata: metadataOf(key),
      unfurl_links: false,
      unfurl_media: false
    }
    const ts = Option.getOrUndefined(readSent(yield* written("chat.postMessage", place, body)))?.ts
    // An answer without a time confirms the message, but not its place.
    if (!isTs(ts)) return yield* fail({ _tag: "Unknown" })
    return { conversation: to, messageId: ts }
  })

  /** The key decides, never the text. Files have none. */
  const isPiece = ({ file }: Piece, key: string) => {
    const { event_payload: own } = metadataOf(key)
    const name = file === undefined ? undefined : nameOfFile(file)
    return ({ metadata, bot_id, files }: Found) =>
      name === undefined
        ? metadata?.event_type === eventType && metadata.event_payload.key === own.key
        : !!bot_id && (files ?? []).some((each) => each.name === name)
  }

  const find: NonNullable<Channel["find"]> = Effect.fnUntraced(function* (to, piece, key, after): Effect.fn.Return<
    MessageRef | undefined,
    SendError
  > {
    if (!isOurs(to)) return undefined
    const { thread_ts: thread } = threadOf(to)
    const method = thread === undefined ? "conversations.history" : "conversations.replies"
    const isSame = isPiece(piece, key)
    const range = {
      channel: to.chatId,
      ts: thread,
      oldest: isTs(after) ? after : undefined,
      inclusive: false,
      include_all_metadata: true,
      limit: pageLength
    }
    let cursor: string | undefined
    for (let count = 0; count < mostPages; count++) {
      const answer = yield* Effect.mapError(call(method, { ...range, cursor }), asSendError(method))
      const page = Option.getOrUndefined(readPage(answer))
      if (page === undefined) return yield* fail({ _tag: "Unknown" })
      const found = page.messages.flatMap((each) => Option.toArray(readMessage(each))).find(isSame)
      if (found !== undefined) return { conversation: to, messageId: found.ts }
      cursor = page.response_metadata?.next_cursor || undefined
      if (page.has_more !== true || cursor === undefined) return undefined
    }
    // A chat's newest come first: it is not among hundreds that are newer.
    return thread === undefined && range.oldest === undefined ? undefined : yield* fail({ _tag: "Unknown" })
  })

  const edit: NonNullable<Channel["edit"]> = Effect.fnUntraced(function* ({ conversation: to, messageId }, piece) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isTs(messageId)) return yield* noMessage
    if (!isBody(piece.body)) return yield* refused("it has the shape of another channel")
    // A file is as it was sent.
    if (piece.file !== undefined) return
    yield* written("chat.update", { channel: to.chatId, ts: messageId }, piece.body)
  })

  const remove: NonNullable<Channel["remove"]> = Effect.fnUntraced(function* ({ conversation: to, messageId }) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isTs(messageId)) return yield* noMessage
    yield* call("chat.delete", { channel: to.chatId, ts: messageId }).pipe(
      Effect.catchIf(
        (failure) => failure._tag === "Refused" && failure.error === "message_not_found",
        () => Effect.void
      ),
      Effect.mapError(asSendError("chat.delete"))
    )
  })

  return { send, find, edit, remove }
}
