/**
 * Events of the gateway → updates of the channel; pure. What is of no use for a bridge is dropped: other bots, the bot's own
 * messages, link previews that come as edits.
 */
import type { ChannelMessage, MessageAttachment, Sender } from "../../../bridge/messages/ChannelMessage.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"
import { present } from "../../../contract/present.ts"
import { channelId, type Mention } from "../DiscordOptions.ts"
import type { Place } from "./places.ts"
import type { WireAttachment, WireDeleted, WireInteraction, WireMember, WireMessage, WireUser } from "./wire.ts"

/** Where an event happened; `direct`: with one person alone. */
export interface At {
  readonly place: Place
  readonly isDirect: boolean
}

export interface ThreadFacts {
  /** The thread is meant for the bot. */
  readonly isFollowed: boolean
  readonly mention: Mention
}

const senderOf = ({ id, username, global_name, bot }: WireUser, member?: WireMember | null): Sender => {
  const roles = member?.roles ?? []
  const name = global_name ?? username ?? undefined
  return {
    id,
    ...(roles.length === 0 ? {} : { ids: roles.map((role) => `role:${role}`) }),
    ...present({ name: name?.slice(0, 100), username: username ?? undefined }),
    isBot: bot === true
  }
}

type Words = Pick<WireMessage, "content" | "mentions">

const named = /<(@!?|@&|#|a?:\w{1,32}:)(\d{1,20})>/g

/** Names instead of ids; the bot's own name at the beginning is left out. */
const textOf = ({ content, mentions }: Words, botId: string): string => {
  const own = new RegExp(`^\\s*<@!?${botId}>[\\s,:]*`)
  return (content ?? "").replace(own, "").replace(named, (all, kind: string, id: string) => {
    if (kind.endsWith(":")) return kind.replace(/^a/, "")
    if (kind === "#" || kind === "@&") return all
    const found = mentions?.find((user) => user.id === id)
    return found === undefined ? all : `@${found.global_name ?? found.username ?? id}`
  })
}

const kindOf = (type: string, isVoice: boolean): MessageAttachment["kind"] => {
  if (isVoice) return "voice"
  const [first = ""] = type.split("/")
  return first === "image" || first === "audio" || first === "video" ? first : "document"
}

const voiceFlag = 1 << 13

const attachmentsOf = (
  message: WireMessage,
  attachments: ReadonlyArray<WireAttachment>
): ReadonlyArray<MessageAttachment> =>
  attachments.map(({ id, filename, size, content_type, waveform }) => ({
    kind: kindOf(content_type ?? "", Boolean(waveform) || ((message.flags ?? 0) & voiceFlag) !== 0),
    // Links expire: the message is asked for a new one.
    fileId: `${message.channel_id}/${message.id}/${id}`,
    ...present({
      name: filename?.slice(0, 255) ?? undefined,
      mimeType: content_type?.slice(0, 255) ?? undefined,
      bytes: size ?? undefined
    })
  }))

const [plainType, replyType] = [0, 19]
const forwardType = 1

const timeOf = (text: string | null | undefined): number => {
  const ms = Date.parse(text ?? "")
  return Number.isFinite(ms) ? ms : 0
}

export const isMentioned = ({ mentions, content }: Words, botId: string): boolean =>
  mentions?.some(({ id }) => id === botId) === true || new RegExp(`<@!?${botId}>`).test(content ?? "")

/** A message of a person, and not of a program or of Discord itself. */
export const isFromPerson = ({ author, webhook_id, type }: WireMessage, botId: string): boolean =>
  author != null &&
  author.bot !== true &&
  author.id !== botId &&
  webhook_id == null &&
  ((type ?? plainType) === plainType || type === replyType)

export const makeDecode = (botId: string) => {
  const conversationOf = ({ chatId, threadId }: Pick<Place, "chatId" | "threadId">): Conversation => ({
    channel: channelId,
    accountId: botId,
    chatId,
    ...present({ threadId })
  })

  /** In a channel each message begins a thread of its own, whose id is that of the message. */
  const conversationAt = ({ place, isDirect }: At, messageId: string): Conversation =>
    conversationOf(isDirect ? { chatId: place.chatId } : { ...place, threadId: place.threadId ?? messageId })

  const replyOf = ({ message_reference, referenced_message }: WireMessage): ChannelMessage["replyTo"] => {
    const id = referenced_message?.id ?? message_reference?.message_id
    if (id == null || message_reference?.type === forwardType) return undefined
    const text = referenced_message?.content ?? undefined
    return { messageId: id, ...present({ text }), ours: referenced_message?.author?.id === botId }
  }

  const isAddressed = (message: WireMessage, { isFollowed, mention }: ThreadFacts): boolean => {
    if (isMentioned(message, botId) || replyOf(message)?.ours === true) return true
    // A word to another person in between is not for the bot.
    return mention !== "always" && isFollowed && !/^\s*<@[!&]?\d/.test(message.content ?? "")
  }

  const kindAt = ({ isDirect }: At) => (isDirect ? ("direct" as const) : ("group" as const))

  return {
    message: (message: WireMessage, at: At, facts: ThreadFacts): Incoming | undefined => {
      const { author, member, message_snapshots: snapshots } = message
      if (author == null || !isFromPerson(message, botId)) return undefined
      const forwarded = message.message_reference?.type === forwardType ? snapshots?.[0]?.message : undefined
      const from = forwarded ?? message
      const text = textOf(from, botId)
      const attachments = attachmentsOf(message, from.attachments ?? [])
      const addressed = at.isDirect || isAddressed(message, facts)
      // Without the content intent, or a picture of Discord's own.
      if (text === "" && attachments.length === 0 && !addressed) return undefined
      return {
        _tag: "Message",
        message: {
          conversation: conversationAt(at, message.id),
          updateId: message.id,
          messageId: message.id,
          chat: kindAt(at),
          sentAt: timeOf(message.timestamp),
          sender: senderOf(author, member),
          text,
          attachments,
          ...present({ replyTo: replyOf(message) }),
          addressed,
          ...(forwarded === undefined ? {} : { forwarded: true })
        }
      }
    },
    /** An update without a time of its own is a link preview, or one of Discord's own. */
    edit: (message: WireMessage, at: At): Incoming | undefined => {
      const { author, member, content, edited_timestamp: edited, id } = message
      if (author == null || !isFromPerson(message, botId) || edited == null || !content) return undefined
      return {
        _tag: "Edited",
        conversation: conversationAt(at, id),
        updateId: `${id}/${timeOf(edited)}`,
        chat: kindAt(at),
        sender: senderOf(author, member),
        messageId: id,
        text: textOf(message, botId)
      }
    },
    removal: ({ id }: WireDeleted, at: At, sender: Sender): Incoming => ({
      _tag: "Edited",
      conversation: conversationAt(at, id),
      updateId: `${id}/deleted`,
      chat: kindAt(at),
      sender,
      messageId: id
    }),
    press: (interaction: WireInteraction, at: At): Incoming | undefined => {
      const { id, token, type, data, message, member } = interaction
      const user = member?.user ?? interaction.user
      if (user == null) return undefined
      const common = { conversation: conversationOf(at.place), chat: kindAt(at), sender: senderOf(user, member) }
      if (type === 3 && data?.custom_id != null) {
        const messageId = message?.id
        const press = { id, token }
        return {
          _tag: "Pressed",
          ...common,
          updateId: `press/${id}`,
          ...present({ messageId }),
          data: data.custom_id,
          press
        }
      }
      if (type !== 2 || data?.name == null) return undefined
      const words = (data.options ?? []).map(({ value }) => String(value ?? "").trim())
      return {
        _tag: "Message",
        message: {
          ...common,
          updateId: `command/${id}`,
          // The first 42 bits of an id are its time.
          sentAt: Number(BigInt(id) >> 22n) + 1_420_070_400_000,
          text: [`/${data.name}`, ...words].join(" ").trim(),
          attachments: [],
          addressed: true
        }
      }
    },
    /** `at`: what makes this leaving another one than the last. */
    left: (place: Pick<Place, "chatId" | "threadId">, at: string): Incoming => ({
      _tag: "Left",
      conversation: conversationOf(place),
      updateId: `${place.threadId ?? place.chatId}/left/${at}`
    })
  }
}
