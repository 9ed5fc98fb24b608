import { basename } from "node:path"
import { Effect, Option, Predicate } from "effect"
import type { Channel } from "../../../bridge/messages/Channel.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import type { Piece } from "../../../bridge/messages/ReplyPayload.ts"
import { SendError, type SendReason } from "../../../bridge/messages/SendError.ts"
import { shortLine } from "../../../contract/text/harmless.ts"
import { fileToSend } from "../../kit/fileToSend.ts"
import { type Client, deadlines } from "../calls/client.ts"
import { type CallFailure, codes, hasCode, reasonOf } from "../calls/failure.ts"
import { channelId } from "../DiscordOptions.ts"
import { readEach, readMessage, type WireMessage } from "../incoming/wire.ts"
import { type Memory, nonceOf } from "./memory.ts"
import { type Body, isBody, limits } from "./render.ts"

export interface WriteOptions {
  readonly accountId: string
  readonly client: Client
  readonly memory: Memory
}

const fail = (reason: SendReason) => Effect.fail(new SendError({ reason }))
const refused = (description: string) => fail({ _tag: "Refused", description })
const gone = (what: "chat" | "thread" | "message") => fail({ _tag: "Gone", what })

const isId = (text: string | undefined): text is string => text !== undefined && /^\d{1,20}$/.test(text)

/** In UTF-16 units. */
const longestAnswer = 1_900
const ephemeral = 64
const [withoutPreviews, silently] = [4, 4_096]
const nobody = { parse: [] }

const pathOf = (channel: string, more = "") => `/channels/${channel}/messages${more}`
const bucketOf = (route: string, channel: string) => `${route} ${channel}`

const componentsOf = ({ buttons = [] }: Body) =>
  buttons.map((row) => ({
    type: 1,
    components: row.map(({ label, data }) => ({ type: 2, style: 2, label, custom_id: data }))
  }))

/** A message, as it is asked for. Its text notifies no person, whatever it names. */
export const fieldsOf = (body: Body, nonce: string): Readonly<Record<string, unknown>> => {
  const components = componentsOf(body)
  return {
    content: body.content,
    nonce,
    enforce_nonce: true,
    allowed_mentions: nobody,
    flags: withoutPreviews | (body.silent === true ? silently : 0),
    ...(components.length === 0 ? {} : { components })
  }
}

/** Answers an interaction once. One that is answered already, or too old, is as good as done. */
export const answerInteraction = (
  { call }: Client,
  { id, token }: { readonly id: string; readonly token: string },
  text: string | undefined
): Effect.Effect<void> => {
  const visible = text === undefined ? "" : shortLine(text, longestAnswer)
  return call({
    method: "POST",
    path: `/interactions/${encodeURIComponent(id)}/${encodeURIComponent(token)}/callback`,
    body:
      visible === ""
        ? { type: 6 }
        : { type: 4, data: { content: visible, flags: ephemeral, allowed_mentions: nobody } },
    deadlineMs: deadlines.interaction,
    isInteraction: true
  }).pipe(
    Effect.asVoid,
    Effect.catch((failure) =>
      hasCode(failure, codes.unknownInteraction, codes.answered)
        ? Effect.void
        : Effect.logDebug("a press could not be acknowledged", { reason: failure._tag })
    )
  )
}

export const makeAcknowledge =
  (client: Client): Channel["acknowledge"] =>
  ({ press }, text) => {
    const { id, token } = Predicate.isObject(press) ? (press as Readonly<Record<string, unknown>>) : {}
    return typeof id === "string" && typeof token === "string"
      ? answerInteraction(client, { id, token }, text)
      : Effect.void
  }

const againMs = 1_000
const pageSize = 100
const mostPages = 5
const threadMinutes = 1_440

interface Sending {
  readonly to: Conversation
  readonly body: Body
  readonly nonce: string
  readonly file: { readonly name: string; readonly content: Blob } | undefined
  /** For a new thread without a better name. */
  readonly words: string
}

export const makeWrite = ({ accountId, client: { call }, memory }: WriteOptions) => {
  const isOurs = ({ channel, accountId: account, chatId, threadId }: Conversation) =>
    channel === channelId && account === accountId && isId(chatId) && (threadId === undefined || isId(threadId))

  const asSendError =
    (scope: "chat" | "edits" = "chat") =>
    (failure: CallFailure) =>
      Effect.gen(function* () {
        if (hasCode(failure, codes.missingAccess, codes.missingPermissions) && failure._tag === "Refused")
          yield* Effect.logWarning("Discord does not let the bot write there", { description: failure.description })
        return yield* fail(reasonOf(failure, scope))
      })

  const formOf = ({ body, nonce, file }: Sending): object => {
    const fields = fieldsOf(body, nonce)
    if (file === undefined) return fields
    const form = new FormData()
    form.set("payload_json", JSON.stringify({ ...fields, attachments: [{ id: 0, filename: file.name }] }))
    form.set("files[0]", file.content, file.name)
    return form
  }

  const post = (sending: Sending, channel: string) =>
    call({
      method: "POST",
      path: pathOf(channel),
      body: formOf(sending),
      deadlineMs: sending.file === undefined ? deadlines.call : deadlines.upload,
      bucket: bucketOf("createMessage", channel)
    })

  const open = (thread: string) => call({ method: "PATCH", path: `/channels/${thread}`, body: { archived: false } })

  /** Nothing is sent yet: an attempt without an answer can be made again. */
  const beforehand = (failure: CallFailure): CallFailure =>
    failure._tag === "Unknown" ? { _tag: "Unreachable" } : failure

  /** Runs again where the thread was archived. */
  const opened = <A>(channel: string, work: Effect.Effect<A, CallFailure>): Effect.Effect<A, CallFailure> =>
    Effect.catchIf(
      work,
      (failure) => hasCode(failure, codes.archived),
      () => Effect.andThen(Effect.mapError(open(channel), beforehand), work)
    )

  /** Begins a thread at a message of a person; that there is one already is a success. */
  const begin = ({ to: { chatId }, words }: Sending, threadId: string) =>
    call({
      method: "POST",
      path: pathOf(chatId, `/${threadId}/threads`),
      body: {
        name: memory.threadName(threadId) ?? (shortLine(words, 90) || "Answer"),
        auto_archive_duration: threadMinutes
      }
    }).pipe(
      Effect.catchIf(
        (failure) => hasCode(failure, codes.threadExists),
        () => Effect.void
      ),
      Effect.catch((failure) => {
        // Without a message to begin at, or without the right to: the bridge goes on in the channel.
        const isImpossible = hasCode(failure, codes.unknownMessage, codes.wrongChannel, codes.missingPermissions)
        return isImpossible ? gone("thread") : asSendError()(beforehand(failure))
      })
    )

  const target = ({ chatId, threadId }: Conversation) => threadId ?? chatId

  const once = (sending: Sending): Effect.Effect<unknown, SendError | CallFailure> => {
    const { threadId } = sending.to
    const channel = target(sending.to)
    const attempt = opened(channel, post(sending, channel))
    return threadId === undefined
      ? attempt
      : Effect.catchIf(
          attempt,
          (failure) => hasCode(failure, codes.unknownChannel),
          () => Effect.andThen(begin(sending, threadId), attempt)
        )
  }

  const isUnknown = (failure: SendError | CallFailure) => failure._tag === "Unknown"

  /** The nonce makes the second message the first one. What the second attempt says of itself does not settle the first. */
  const sent = (sending: Sending) =>
    once(sending).pipe(
      Effect.catchIf(isUnknown, () =>
        Effect.sleep(againMs).pipe(
          Effect.andThen(once(sending)),
          Effect.mapError((): CallFailure => ({ _tag: "Unknown" }))
        )
      ),
      Effect.catch((failure) => (failure._tag === "SendError" ? Effect.fail(failure) : asSendError()(failure)))
    )

  const fileOf = Effect.fnUntraced(function* (path: string) {
    const { name, content } = yield* fileToSend(path, { service: "Discord", mostBytes: limits.uploadBytes })
    return { name, content: yield* content() }
  })

  const send: Channel["send"] = Effect.fnUntraced(function* (to, { body, file, text }, key) {
    if (!isOurs(to)) return yield* gone("chat")
    if (!isBody(body)) return yield* refused("it has the shape of another channel")
    const nonce = nonceOf(key)
    const content = file === undefined ? undefined : yield* fileOf(file)
    const answer = yield* sent({ to, body, nonce, file: content, words: text })
    const messageId = Predicate.hasProperty(answer, "id") && typeof answer.id === "string" ? answer.id : undefined
    // An answer without an id confirms the message, but not its place.
    if (!isId(messageId)) return yield* fail({ _tag: "Unknown" })
    memory.own(nonce, messageId)
    return { conversation: to, messageId }
  })

  /** Messages behind one, the oldest first; without it the newest. */
  const page = (channel: string, after: string | undefined) =>
    call({
      method: "GET",
      path: pathOf(channel, `?limit=${pageSize}${after === undefined ? "" : `&after=${after}`}`),
      bucket: bucketOf("getMessages", channel)
    }).pipe(
      Effect.map((answer) => readEach(readMessage, answer).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)))
    )

  const namesOf = ({ file }: Piece) => (file === undefined ? [] : [basename(file)])

  /** Discord writes an unusual character of a file's name as `_`. */
  const looseName = (name: string) => name.replace(/[^\w.-]/g, "_")

  const isIt = (message: WireMessage, content: string, names: ReadonlyArray<string>, nonce: string): boolean => {
    const known = memory.nonceOf(message.id)
    if (known !== undefined) return known === nonce
    if (message.author?.id !== accountId || (message.content ?? "") !== content) return false
    const files = (message.attachments ?? []).map(({ filename }) => looseName(filename ?? ""))
    return files.length === names.length && names.every((name, at) => files[at] === looseName(name))
  }

  /** History has no nonces: an own message with the same content is it, unless this process knows that it had another key. */
  const find: NonNullable<Channel["find"]> = Effect.fnUntraced(function* (to, piece, key, after) {
    if (!isOurs(to) || !isBody(piece.body)) return undefined
    const { content } = piece.body
    const channel = target(to)
    const nonce = nonceOf(key)
    let from = isId(after) ? after : undefined
    for (let count = 0; count < mostPages; count++) {
      const messages = yield* page(channel, from).pipe(
        // Without its thread a message is missing, too.
        Effect.catchIf(
          (failure) => hasCode(failure, codes.unknownChannel),
          () => Effect.succeed([])
        ),
        Effect.catch((failure) => fail(reasonOf(failure)))
      )
      const found = messages.find((message) => isIt(message, content, namesOf(piece), nonce))
      if (found !== undefined) return { conversation: to, messageId: found.id }
      const last = messages.at(-1)
      if (from === undefined || messages.length < pageSize || last === undefined) return undefined
      from = last.id
    }
    return yield* fail({ _tag: "Unknown" })
  })

  const edit: NonNullable<Channel["edit"]> = Effect.fnUntraced(function* (
    { conversation: to, messageId },
    { body, file }
  ) {
    if (!isOurs(to)) return yield* gone("chat")
    if (!isId(messageId)) return yield* gone("message")
    if (!isBody(body)) return yield* refused("it has the shape of another channel")
    const channel = target(to)
    const change = call({
      method: "PATCH",
      path: pathOf(channel, `/${messageId}`),
      body: {
        ...(file === undefined ? { content: body.content } : {}),
        components: componentsOf(body),
        allowed_mentions: nobody
      },
      bucket: bucketOf("editMessage", channel)
    })
    yield* Effect.catch(opened(channel, change), asSendError("edits"))
  })

  const remove: NonNullable<Channel["remove"]> = Effect.fnUntraced(function* ({ conversation: to, messageId }) {
    if (!isOurs(to)) return yield* gone("chat")
    if (!isId(messageId)) return
    const channel = target(to)
    yield* call({
      method: "DELETE",
      path: pathOf(channel, `/${messageId}`),
      bucket: bucketOf("deleteMessage", channel)
    }).pipe(
      Effect.catchIf(
        (failure) => hasCode(failure, codes.unknownMessage, codes.unknownChannel),
        () => Effect.void
      ),
      Effect.catch(asSendError())
    )
  })

  const working: NonNullable<Channel["working"]> = (to) =>
    isOurs(to)
      ? Effect.ignore(
          call({ method: "POST", path: `/channels/${target(to)}/typing`, deadlineMs: deadlines.interaction })
        )
      : Effect.void

  return { send, find, edit, remove, working }
}

/** The present link of an attachment: those of messages expire. Undefined if it is gone. */
export const linkOf = ({ call }: Client, fileId: string): Effect.Effect<string | undefined, SendError> => {
  const [channel, message, attachment] = fileId.split("/")
  if (!isId(channel) || !isId(message) || !isId(attachment)) return gone("message")
  return call({ method: "GET", path: pathOf(channel, `/${message}`) }).pipe(
    Effect.map((answer) => {
      const found = Option.getOrUndefined(readMessage(answer))
      return found?.attachments?.find(({ id }) => id === attachment)?.url ?? undefined
    }),
    Effect.catch((failure) => fail(reasonOf(failure)))
  )
}
