import { Clock, Effect, Option, Schema } from "effect"
import type { Channel, Heard } from "../../../bridge/messages/Channel.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import { SendError, type SendReason } from "../../../bridge/messages/SendError.ts"
import { isPersonOn } from "../../../contract/peopleOfChannels.ts"
import { monotonicMillisOf } from "../../../system/hostClock.ts"
import { boundedMap } from "../../kit/boundedMap.ts"
import { fileToSend } from "../../kit/fileToSend.ts"
import type { Client } from "../calls/client.ts"
import { reasonOf } from "../calls/failure.ts"
import { type CheckedWhatsApp, channelId } from "../WhatsAppOptions.ts"
import { kindOf } from "./files.ts"
import { type Body, isBody, limits, mostReplyButtons } from "./render.ts"

const fail = (reason: SendReason) => Effect.fail(new SendError({ reason }))
const refused = (description: string) => fail({ _tag: "Refused", description })

const isNumber = (id: string) => /^\d{7,15}$/.test(id)
const isMessageId = (id: string | undefined): id is string => id !== undefined && /^wamid\.[\w=+/.-]{1,500}$/.test(id)

const mostKeyBytes = 512

export const interactiveOf = ({ text, buttons = [] }: Body) => ({
  type: "interactive",
  interactive:
    buttons.length <= mostReplyButtons
      ? {
          type: "button",
          body: { text },
          action: { buttons: buttons.map(({ label, data }) => ({ type: "reply", reply: { id: data, title: label } })) }
        }
      : {
          type: "list",
          body: { text },
          action: {
            button: "Choose",
            sections: [
              {
                rows: buttons.map(({ label, data }) => ({ id: data, title: label }))
              }
            ]
          }
        }
})

const readSent = Schema.decodeUnknownOption(
  Schema.Struct({ messages: Schema.NonEmptyArray(Schema.Struct({ id: Schema.String })) })
)
const readUploaded = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String }))

/** WhatsApp shows it for 25 s, unless a message comes. */
const typingMs = 20_000
const mostChats = 2_000

/** State of chats between calls: the newest message of a person, and when its reader was shown at work. */
export const makeChats = () => {
  const newest = boundedMap<string>(mostChats)
  const shownAt = new Map<string, number>()
  return {
    hear: ({ incoming }: Heard) => {
      if (incoming._tag !== "Message" || incoming.message.messageId === undefined) return
      newest.set(incoming.message.conversation.chatId, incoming.message.messageId)
    },
    newest: (chatId: string) => newest.get(chatId),
    /** Returns false if it is shown already. */
    show: (chatId: string, now: number): boolean => {
      const last = shownAt.get(chatId)
      if (last !== undefined && now - last < typingMs) return false
      shownAt.set(chatId, now)
      return true
    },
    /** A message ends it. */
    sent: (chatId: string) => void shownAt.delete(chatId)
  }
}
type Chats = ReturnType<typeof makeChats>

export interface WriteOptions extends Pick<CheckedWhatsApp, "phone"> {
  readonly client: Client
  readonly chats: Chats
}

export const makeWrite = ({ phone, client, chats }: WriteOptions) => {
  const isOurs = ({ channel, accountId, chatId }: Conversation) =>
    channel === channelId && accountId === phone && isPersonOn.whatsapp(chatId)

  const envelope = ({ chatId }: Conversation, { replyToId }: Body, key: string) => ({
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...(isNumber(chatId) ? { to: chatId } : { recipient: chatId }),
    ...(isMessageId(replyToId) ? { context: { message_id: replyToId } } : {}),
    // Comes back with each receipt.
    ...(Buffer.byteLength(key) <= mostKeyBytes ? { biz_opaque_callback_data: key } : {})
  })

  const upload = Effect.fnUntraced(function* (path: string) {
    const { name, bytes, content } = yield* fileToSend(path, { service: "WhatsApp", mostBytes: limits.uploadBytes })
    const { kind, type } = kindOf(name, bytes)
    const file = yield* content(type)
    const form = new FormData()
    form.append("messaging_product", "whatsapp")
    form.append("type", type)
    form.append("file", file, name)
    const answer = yield* Effect.mapError(client.upload(`${phone}/media`, form), (failure) => {
      const reason = reasonOf(failure)
      // People do not see an upload.
      return new SendError({ reason: reason._tag === "Unknown" ? { _tag: "Unreachable" } : reason })
    })
    const id = Option.getOrUndefined(readUploaded(answer))?.id
    if (id === undefined) return yield* fail({ _tag: "Unreachable" })
    return { type: kind, [kind]: { id, ...(kind === "document" ? { filename: name } : {}) } }
  })

  const send: Channel["send"] = Effect.fnUntraced(function* (to, { body, file }, key) {
    if (!isOurs(to)) return yield* fail({ _tag: "Gone", what: "chat" })
    if (!isBody(body)) return yield* refused("it has the shape of another channel")
    const content =
      file !== undefined
        ? yield* upload(file)
        : body.buttons !== undefined
          ? interactiveOf(body)
          : { type: "text", text: { body: body.text, preview_url: false } }
    const answer = yield* Effect.mapError(
      client.post(`${phone}/messages`, { ...envelope(to, body, key), ...content }),
      (failure) => new SendError({ reason: reasonOf(failure) })
    )
    chats.sent(to.chatId)
    const [sent] = Option.getOrUndefined(readSent(answer))?.messages ?? []
    // An answer without an id confirms the message, but not its place.
    if (sent === undefined) return yield* fail({ _tag: "Unknown" })
    return { conversation: to, messageId: sent.id }
  })

  const working: NonNullable<Channel["working"]> = (to, messageId) =>
    Clock.clockWith((clock) => {
      const id = messageId ?? chats.newest(to.chatId)
      if (!isOurs(to) || !isMessageId(id) || !chats.show(to.chatId, monotonicMillisOf(clock))) return Effect.void
      const hint = { status: "read", message_id: id, typing_indicator: { type: "text" } }
      return client.hint(`${phone}/messages`, { messaging_product: "whatsapp", ...hint })
    })

  return { send, working }
}
