/**
 * Posts, changes and deletions: one attempt each. Metadata carries the key of a post, by which it is found again. A file is
 * visible with the last of its three steps alone, so that a cut before that is surely no message.
 */
import { createHash } from "node:crypto"
import { basename } from "node:path"
import { Clock, Effect, Predicate } from "effect"
import type { Channel } from "../../../bridge/messages/Channel.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import type { Piece } from "../../../bridge/messages/ReplyPayload.ts"
import { SendError, type SendReason } from "../../../bridge/messages/SendError.ts"
import { shortLine } from "../../../contract/text/harmless.ts"
import { call as callOnce } from "../../kit/call.ts"
import { fileToSend } from "../../kit/fileToSend.ts"
import type { Client } from "../calls/client.ts"
import { type CallFailure, describe, isRefusedWith, reasonOf } from "../calls/failure.ts"
import { pageSize, tsOf } from "../incoming/history.ts"
import { type Me, messagesOf, type WireMessage } from "../incoming/wire.ts"
import { channelId } from "../SlackOptions.ts"
import { type Body, isBody, limits } from "./render.ts"

/** In ms. */
const deadlines = { acknowledgement: 10_000, upload: 300_000, share: 5_000 } as const
const longestAcknowledgement = 500

export const makeAcknowledge =
  ({ isTrusted }: Pick<Client, "isTrusted">): Channel["acknowledge"] =>
  ({ press }, text) => {
    const url = Predicate.hasProperty(press, "response_url") ? press.response_url : undefined
    const visible = text === undefined ? "" : shortLine(text, longestAcknowledgement)
    // The press itself was confirmed when it was heard.
    if (visible === "" || typeof url !== "string" || !isTrusted(url)) return Effect.void
    return callOnce({
      url,
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify({ response_type: "ephemeral", replace_original: false, text: escaped(visible) }),
      deadlineMs: deadlines.acknowledgement
    }).pipe(Effect.ignore)
  }

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

export interface WriteOptions {
  readonly accountId: string
  readonly client: Client
  /** The bot, if Slack has said who it is. */
  readonly knownMe: Effect.Effect<Me | undefined>
}

const fail = (reason: SendReason) => Effect.fail(new SendError({ reason }))
const refused = (description: string) => fail({ _tag: "Refused", description })
const isTs = (text: string | undefined): text is string => /^\d{1,13}\.\d{6}$/.test(text ?? "")

const eventType = "reins_piece"
const hashOf = (key: string) => createHash("sha256").update(key).digest("base64url").slice(0, 32)

const isOfKey = ({ metadata }: WireMessage, key: string): boolean =>
  metadata?.event_type === eventType &&
  Predicate.hasProperty(metadata.event_payload, "key") &&
  metadata.event_payload.key === key

const pagesToLookAt = 2
const dayMs = 86_400_000

export const makeWrite = ({ accountId, client, knownMe }: WriteOptions) => {
  const { call, isTrusted } = client
  const reportedScopes = new Set<string>()

  const asSendError = (scope: "chat" | "allEdits" | "account") => (failure: CallFailure) =>
    Effect.gen(function* () {
      if (
        failure._tag === "Refused" &&
        failure.error === "missing_scope" &&
        !reportedScopes.has(failure.needed ?? "")
      ) {
        reportedScopes.add(failure.needed ?? "")
        yield* Effect.logWarning(`Slack refuses a message: ${describe(failure)}`)
      }
      return yield* fail(reasonOf(failure, scope))
    })

  const isOurs = ({ channel, accountId: account, chatId }: Conversation) =>
    channel === channelId && account === accountId && /^[CDG][A-Z0-9]+$/.test(chatId)

  const threadOf = ({ threadId }: Conversation) => (isTs(threadId) ? threadId : undefined)

  const contentOf = ({ text, blocks }: Body) => ({ text, blocks })

  const post = (to: Conversation, body: Body, key: string) =>
    call("chat.postMessage", {
      channel: to.chatId,
      thread_ts: threadOf(to),
      ...contentOf(body),
      metadata: { event_type: eventType, event_payload: { key: hashOf(key) } },
      unfurl_links: false,
      unfurl_media: false
    }).pipe(
      Effect.catch(asSendError("chat")),
      Effect.flatMap(({ json }) => {
        const ts = Predicate.hasProperty(json, "ts") ? json.ts : undefined
        // An answer without a number confirms the message, but not its place.
        return typeof ts === "string" && isTs(ts) ? Effect.succeed(ts) : fail({ _tag: "Unknown" })
      })
    )

  /** Nothing is visible before the last step. */
  const invisible = Effect.catch((failure: CallFailure) =>
    failure._tag === "Unknown" ? fail({ _tag: "Unreachable" }) : asSendError("account")(failure)
  )

  /** The number of the message that shows a file, which Slack tells a little later. */
  const sharedAt = (to: Conversation, fileId: string) =>
    Effect.gen(function* () {
      for (;;) {
        const { json } = yield* call("files.info", { file: fileId })
        const shares = Object(Object(Object(json)["file"])["shares"])
        for (const kind of ["public", "private"]) {
          const [share] = [Object(shares[kind])[to.chatId]].flat()
          const ts: unknown = Object(share)["ts"]
          if (typeof ts === "string" && isTs(ts)) return ts
        }
        yield* Effect.sleep(500)
      }
    }).pipe(
      Effect.timeout(deadlines.share),
      Effect.orElseSucceed(() => fileId)
    )

  const sendFile = Effect.fnUntraced(function* (to: Conversation, path: string) {
    const {
      name: filename,
      bytes,
      content
    } = yield* fileToSend(path, {
      service: "Slack",
      mostBytes: limits.uploadBytes
    })
    const prepared = yield* invisible(call("files.getUploadURLExternal", { filename, length: bytes }))
    const { upload_url: url, file_id: id } = Object(prepared.json)
    if (typeof url !== "string" || typeof id !== "string" || !isTrusted(url))
      return yield* fail({ _tag: "Unreachable" })
    const uploaded = yield* Effect.mapError(
      callOnce({ url, method: "POST", body: yield* content(), deadlineMs: deadlines.upload }),
      () => new SendError({ reason: { _tag: "Unreachable" } })
    )
    if (uploaded.status < 200 || uploaded.status >= 300) return yield* fail({ _tag: "Unreachable" })
    yield* call("files.completeUploadExternal", {
      files: [{ id, title: filename }],
      channel_id: to.chatId,
      thread_ts: threadOf(to)
    }).pipe(Effect.catch(asSendError("chat")))
    return yield* sharedAt(to, id)
  })

  const send: Channel["send"] = Effect.fnUntraced(function* (to, { body, file }, key) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isBody(body)) return yield* refused("it has the shape of another channel")
    const messageId = yield* file === undefined ? post(to, body, key) : sendFile(to, file)
    return { conversation: to, messageId }
  })

  const isPiece = (message: WireMessage, { file }: Piece, key: string, me: Me | undefined): boolean => {
    if (file === undefined) return isOfKey(message, hashOf(key))
    const name = basename(file).toWellFormed()
    const isBots = me !== undefined && (message.user === me.user_id || message.bot_id === me.bot_id)
    return isBots && (message.files ?? []).some((each) => each.name === name)
  }

  const find: NonNullable<Channel["find"]> = Effect.fnUntraced(function* (to, piece, key, after) {
    if (!isOurs(to)) return undefined
    const me = yield* knownMe
    const now = yield* Clock.currentTimeMillis
    const thread = threadOf(to)
    const oldest = isTs(after) ? after : tsOf(now - dayMs)
    const where = thread === undefined ? {} : { ts: thread }
    let cursor: string | undefined
    for (let page = 0; page < pagesToLookAt; page++) {
      const answer = yield* call(thread === undefined ? "conversations.history" : "conversations.replies", {
        channel: to.chatId,
        ...where,
        oldest,
        inclusive: false,
        limit: pageSize,
        include_all_metadata: true,
        cursor
      }).pipe(Effect.catch(asSendError("account")))
      const read = messagesOf(answer.json)
      if (read === undefined) return yield* fail({ _tag: "Unknown" })
      const found = read.messages.filter((message) => message.ts > oldest && isPiece(message, piece, key, me))
      // A key that was sent twice stands for the first.
      const first = found.reduce<string | undefined>(
        (all, { ts }) => (all === undefined || ts < all ? ts : all),
        undefined
      )
      if (first !== undefined) return { conversation: to, messageId: first }
      cursor = read.next
      if (cursor === undefined) return undefined
    }
    // There is more than was looked at.
    return yield* fail({ _tag: "Unknown" })
  })

  const edit: NonNullable<Channel["edit"]> = Effect.fnUntraced(function* ({ conversation: to, messageId }, { body }) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isTs(messageId)) return yield* fail({ _tag: "Gone", what: "message" })
    if (!isBody(body)) return yield* refused("it has the shape of another channel")
    if (body.file !== undefined) return
    yield* Effect.catch(
      call("chat.update", { channel: to.chatId, ts: messageId, ...contentOf(body) }),
      asSendError("allEdits")
    )
  })

  const remove: NonNullable<Channel["remove"]> = Effect.fnUntraced(function* ({ conversation: to, messageId }) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isTs(messageId)) return
    yield* call("chat.delete", { channel: to.chatId, ts: messageId }).pipe(
      Effect.asVoid,
      Effect.catchIf(
        (failure) => isRefusedWith(failure, "message_not_found"),
        () => Effect.void
      ),
      Effect.catch(asSendError("account"))
    )
  })

  return { send, find, edit, remove }
}
