/**
 * Sends, edits, removals and drafts: one attempt each. A refused message surely does not exist, and is tried once more in
 * another form: in the group's new chat, without marks, or with a photo as a document.
 */
import { basename } from "node:path"
import { Clock, Effect, Predicate } from "effect"
import type { Channel, Heard } from "../../../bridge/messages/Channel.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import { SendError, type SendReason } from "../../../bridge/messages/SendError.ts"
import { shortLine } from "../../../contract/text/harmless.ts"
import { monotonicMillisOf } from "../../../system/hostClock.ts"
import { fileToSend } from "../../kit/fileToSend.ts"
import { type Client, type Clients, deadlines } from "../calls/client.ts"
import { type CallFailure, isNotThere, isOfEntities, isUnchanged, reasonOf } from "../calls/failure.ts"
import { channelId } from "../TelegramOptions.ts"
import { type Body, isBody, limits } from "./render.ts"

/** In UTF-16 units. */
const longest = 200

export const makeAcknowledge =
  ({ call }: Pick<Client, "call">): Channel["acknowledge"] =>
  ({ press }, text) => {
    const id = Predicate.hasProperty(press, "id") ? press.id : undefined
    if (typeof id !== "string") return Effect.void
    const visible = text === undefined ? "" : shortLine(text, longest)
    return call(
      "answerCallbackQuery",
      { callback_query_id: id, ...(visible === "" ? {} : { text: visible }) },
      deadlines.acknowledgement
    ).pipe(Effect.catch((failure) => Effect.logDebug("a press could not be acknowledged", { reason: failure._tag })))
  }

/** Bound of the maps below. */
const most = 2_000

const keep = (map: Map<string, string>, key: string, value: string) => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

/** State of chats between calls: moved groups, and the latest message in a chat. */
export const makeChats = () => {
  const moved = new Map<string, string>()
  const newest = new Map<string, string>()
  return {
    move: (from: string, to: string) => keep(moved, from, to),
    /** The present id of a chat. */
    of: (chatId: string): string => moved.get(chatId) ?? chatId,
    hear: ({ incoming }: Heard) => {
      if (incoming._tag === "Moved") keep(moved, incoming.conversation.chatId, incoming.chatId)
      if (incoming._tag !== "Message" || incoming.message.messageId === undefined) return
      keep(newest, incoming.message.conversation.chatId, incoming.message.messageId)
    },
    /** Replies quote in groups, whose ids are negative, and if other messages came between. */
    isQuoted: (chatId: string, messageId: string): boolean => {
      const last = newest.get(chatId)
      return chatId.startsWith("-") || (last !== undefined && last !== messageId)
    }
  }
}
type Chats = ReturnType<typeof makeChats>

export interface WriteOptions {
  readonly accountId: string
  readonly clients: Clients
  readonly chats: Chats
  readonly haste: Haste
}

const fail = (reason: SendReason) => Effect.fail(new SendError({ reason }))
const refused = (description: string) => fail({ _tag: "Refused", description })

const isId = (text: string | undefined): text is string => text !== undefined && /^-?[1-9]\d{0,15}$/.test(text)

const keyboardOf = ({ buttons }: Body) =>
  buttons === undefined
    ? {}
    : {
        reply_markup: {
          inline_keyboard: buttons.map((row) => row.map(({ label, data }) => ({ text: label, callback_data: data })))
        }
      }

const textOf = ({ text, entities }: Body) => ({
  text,
  link_preview_options: { is_disabled: true },
  ...(entities === undefined ? {} : { entities: entities.map((entity) => ({ ...entity })) })
})

const withoutMarks = ({ entities: _, ...bare }: Body): Body => bare

/** Largest image that Telegram shows as a photo. */
const photoBytes = 10_000_000

export const makeWrite = ({ accountId, clients, chats, haste }: WriteOptions) => {
  const { call } = clients.calls

  const asSendError = (chatId: string) => (failure: CallFailure) =>
    Clock.clockWith((clock) => {
      const isHaste = failure._tag === "Refused" && failure.code === 429
      const plain = reasonOf(failure)
      if (!isHaste || plain._tag !== "TooFast") return fail(plain)
      return fail(reasonOf(failure, haste.refused(chatId, plain.retryAfterMs, monotonicMillisOf(clock))))
    })

  /** Makes no call while Telegram delays this chat. */
  const attempted = <A>(chatId: string, work: Effect.Effect<A, CallFailure>) =>
    Clock.clockWith((clock) => {
      const heldMs = haste.heldMs(chatId, monotonicMillisOf(clock))
      if (heldMs > 0) return fail({ _tag: "TooFast", retryAfterMs: heldMs, scope: "chat" })
      return Effect.catch(
        Effect.tap(work, () => Effect.sync(haste.taken)),
        asSendError(chatId)
      )
    })

  /** Follows a group that has moved. */
  const inChat = <A>(chatId: string, attempt: (id: string) => Effect.Effect<A, CallFailure>) =>
    attempt(chats.of(chatId)).pipe(
      Effect.catch((failure) => {
        if (failure._tag !== "Refused" || failure.movedTo === undefined) return Effect.fail(failure)
        chats.move(chatId, failure.movedTo)
        return attempt(failure.movedTo)
      })
    )

  const isOurs = ({ channel, accountId: account, chatId }: Conversation) =>
    channel === channelId && account === accountId && isId(chatId)

  const placeOf = ({ chatId, threadId }: Conversation, { replyToId, silent }: Body) => ({
    ...(isId(threadId) && threadId !== "1" ? { message_thread_id: Number(threadId) } : {}),
    ...(silent === undefined ? {} : { disable_notification: true }),
    ...(isId(replyToId) && chats.isQuoted(chatId, replyToId)
      ? { reply_parameters: { message_id: Number(replyToId), allow_sending_without_reply: true } }
      : {})
  })

  const sendText = (to: Conversation, body: Body) => {
    const attempt = (output: Body) => (chat_id: string) =>
      call("sendMessage", { chat_id, ...textOf(output), ...placeOf(to, body), ...keyboardOf(body) })
    return inChat(to.chatId, attempt(body)).pipe(
      Effect.catchIf(isOfEntities, () => inChat(to.chatId, attempt(withoutMarks(body))))
    )
  }

  const sendFile = (to: Conversation, body: Body, path: string, isPhoto: boolean) => {
    const more = { ...placeOf(to, body), ...keyboardOf(body) }
    const file = () => clients.file(path, basename(path))
    const attempt = (asPhoto: boolean) => (chat_id: string) =>
      asPhoto
        ? call("sendPhoto", { chat_id, photo: file(), ...more }, deadlines.upload)
        : call("sendDocument", { chat_id, document: file(), ...more }, deadlines.upload)
    return inChat(to.chatId, attempt(isPhoto)).pipe(
      Effect.catchIf(
        (failure) =>
          isPhoto && failure._tag === "Refused" && failure.code === 400 && /photo|image/i.test(failure.description),
        () => inChat(to.chatId, attempt(false))
      )
    )
  }

  const send: Channel["send"] = Effect.fnUntraced(function* (to, { body, file }) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isBody(body)) return yield* refused("it has the shape of another channel")
    const sent =
      file === undefined
        ? sendText(to, body)
        : yield* Effect.map(fileToSend(file, { service: "Telegram", mostBytes: limits.uploadBytes }), ({ bytes }) =>
            sendFile(to, body, file, body.file === "photo" && bytes <= photoBytes)
          )
    const answer = yield* attempted(to.chatId, sent)
    // An answer without a number confirms the message, but not its place.
    if (!Predicate.hasProperty(answer, "message_id") || !Number.isSafeInteger(answer.message_id))
      return yield* fail({ _tag: "Unknown" })
    return { conversation: to, messageId: String(answer.message_id) }
  })

  const edit: NonNullable<Channel["edit"]> = Effect.fnUntraced(function* ({ conversation: to, messageId }, { body }) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isId(messageId)) return yield* fail({ _tag: "Gone", what: "message" })
    if (!isBody(body)) return yield* refused("it has the shape of another channel")
    const message_id = Number(messageId)
    const attempt = (output: Body) => (chat_id: string) =>
      body.file === undefined
        ? call("editMessageText", { chat_id, message_id, ...textOf(output), ...keyboardOf(body) })
        : call("editMessageReplyMarkup", { chat_id, message_id, ...keyboardOf(body) })
    yield* attempted(
      to.chatId,
      inChat(to.chatId, attempt(body)).pipe(
        Effect.catchIf(isOfEntities, () => inChat(to.chatId, attempt(withoutMarks(body)))),
        Effect.catchIf(isUnchanged, () => Effect.void)
      )
    )
  })

  const remove: NonNullable<Channel["remove"]> = Effect.fnUntraced(function* ({ conversation: to, messageId }) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isId(messageId)) return
    const deleted = inChat(to.chatId, (chat_id) => call("deleteMessage", { chat_id, message_id: Number(messageId) }))
    yield* attempted(
      to.chatId,
      Effect.catchIf(deleted, isNotThere, () => Effect.void)
    )
  })

  /** Only in private chats, whose ids are positive. Too late, it is of no use any more. */
  const draft: NonNullable<Channel["draft"]> = Effect.fnUntraced(function* (to, draftId, { body, file }) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isBody(body) || file !== undefined) return yield* refused("it has the shape of another channel, or a file")
    if (to.chatId.startsWith("-")) return yield* refused("groups have no drafts")
    const place = { chat_id: Number(to.chatId), draft_id: draftId, can_stop: true, ...placeOf(to, { text: "" }) }
    const attempt = ({ text, entities }: Body) =>
      call(
        "sendMessageDraft",
        { ...place, text, ...(entities === undefined ? {} : { entities: entities.map((entity) => ({ ...entity })) }) },
        deadlines.draft
      )
    yield* attempted(
      to.chatId,
      Effect.catchIf(attempt(body), isOfEntities, () => attempt(withoutMarks(body)))
    )
  })

  const working: NonNullable<Channel["working"]> = (to) => {
    if (!isOurs(to)) return Effect.void
    const more = placeOf(to, { text: "" })
    const visible = inChat(to.chatId, (chat_id) =>
      call("sendChatAction", { chat_id, action: "typing", ...more }, deadlines.acknowledgement)
    )
    return Effect.ignore(attempted(to.chatId, visible))
  }

  return { send, edit, remove, working, draft }
}

const mostChats = 1_000
/** Telegram names whole seconds. */
const sameMs = 1_000
const enough = 3

/**
 * Rate limits of Telegram, by chat. It does not say whether a delay is for one chat or for all: it counts for all if three
 * chats are delayed until the same moment, without a successful call since the first. Times are of a monotonic clock.
 */
export const makeHaste = () => {
  const until = new Map<string, number>()
  /** The chats of `until` since the last successful call. */
  const recent = new Set<string>()

  const sweep = (now: number) => {
    for (const [chat, end] of until) if (end <= now) until.delete(chat)
    const [oldest] = until.keys()
    if (until.size > mostChats && oldest !== undefined) until.delete(oldest)
    for (const chat of recent) if (!until.has(chat)) recent.delete(chat)
  }

  return {
    /** Returns the reach of the delay. */
    refused: (chatId: string, retryAfterMs: number, now: number): "chat" | "account" => {
      const end = now + retryAfterMs
      until.set(chatId, Math.max(until.get(chatId) ?? 0, end))
      recent.add(chatId)
      sweep(now)
      const alike = [...recent].filter((chat) => Math.abs((until.get(chat) ?? 0) - end) <= sameMs)
      return alike.length >= enough ? "account" : "chat"
    },
    taken: () => recent.clear(),
    /** Remaining delay. */
    heldMs: (chatId: string, now: number): number => Math.max(0, (until.get(chatId) ?? 0) - now),
    size: () => until.size
  }
}
type Haste = ReturnType<typeof makeHaste>
