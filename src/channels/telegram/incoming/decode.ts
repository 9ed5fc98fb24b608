/**
 * What Telegram tells → what a channel hears; pure. Undefined: nothing that a bridge takes, such as that somebody has come
 * into a group. Ids are those of messages and presses, so that what is told twice is heard once.
 */
import type { ChannelMessage, Sender } from "../../../bridge/messages/ChannelMessage.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"
import { channelId } from "../checkOptions.ts"
import { attachmentsOf } from "./attachments.ts"
import type { Me, WireMessage, WireUpdate } from "./wire.ts"
import { isAddressed, textOf } from "./words.ts"

type Placed = Pick<WireMessage, "chat" | "message_thread_id" | "is_topic_message">

/** Replies in a group without topics have a thread as well, which is none. That of "General" has no number. */
const threadOf = ({ is_topic_message, message_thread_id }: Placed): string | undefined =>
  is_topic_message === true && message_thread_id !== undefined && message_thread_id !== 1
    ? String(message_thread_id)
    : undefined

const chatKind = ({ type }: Placed["chat"]) => (type === "private" ? "direct" : "group")

/** Whom a message is from: a chat that speaks for itself is no person. */
const senderOf = ({ from, sender_chat, chat }: Pick<WireMessage, "from" | "sender_chat" | "chat">): Sender => {
  const speaker = sender_chat ?? (from === undefined ? chat : undefined)
  if (speaker !== undefined || from === undefined) {
    const { id, title } = speaker ?? chat
    // A chat with one person has that person's id.
    return { id: id < 0 ? String(id) : `chat ${id}`, ...(title === undefined ? {} : { name: title }), isBot: false }
  }
  const { id, is_bot, first_name = "", last_name = "", username } = from
  const name = `${first_name} ${last_name}`.trim()
  return {
    id: String(id),
    ...(name === "" ? {} : { name }),
    ...(username === undefined ? {} : { username }),
    isBot: is_bot
  }
}

/** Messages without words and files that a person has sent: there is nothing in them that an agent could take. */
const silent = ["sticker", "location", "venue", "contact", "poll", "dice", "story"] as const

const isSaid = (message: WireMessage): boolean =>
  message.text !== undefined ||
  message.caption !== undefined ||
  attachmentsOf(message).length > 0 ||
  silent.some((kind) => message[kind] !== undefined)

export interface DecodeContext {
  readonly me: Me
  /** Whether another part of an album is meant for the bot: its caption stands below one of them. */
  readonly isAddressedAlbum: (album: string) => boolean
}

export const makeDecode = ({ me, isAddressedAlbum }: DecodeContext) => {
  const accountId = String(me.id)
  const conversationOf = (placed: Placed): Conversation => {
    const threadId = threadOf(placed)
    const own = { channel: channelId, accountId, chatId: String(placed.chat.id) }
    return threadId === undefined ? own : { ...own, threadId }
  }

  /** In a topic, what replies to nothing replies to its beginning. */
  const replyOf = (message: WireMessage): ChannelMessage["replyTo"] => {
    const to = message.reply_to_message
    if (to === undefined || to.forum_topic_created !== undefined) return undefined
    if (message.is_topic_message === true && to.message_id === message.message_thread_id) return undefined
    const text = to.text ?? to.caption
    return {
      messageId: String(to.message_id),
      ...(text === undefined ? {} : { text }),
      ours: to.from?.id === me.id
    }
  }

  const isFor = (message: WireMessage, replyTo: ChannelMessage["replyTo"]): boolean =>
    chatKind(message.chat) === "direct" || isAddressed(message, replyTo?.ours === true, me)

  const said = (message: WireMessage): Incoming | undefined => {
    if (!isSaid(message)) return undefined
    const { message_id, date, chat, media_group_id: album } = message
    const replyTo = replyOf(message)
    return {
      _tag: "Message",
      message: {
        conversation: conversationOf(message),
        updateId: `${chat.id}/${message_id}`,
        messageId: String(message_id),
        chat: chatKind(chat),
        sentAt: date * 1_000,
        sender: senderOf(message),
        text: textOf(message, me),
        attachments: attachmentsOf(message),
        ...(replyTo === undefined ? {} : { replyTo }),
        addressed: isFor(message, replyTo) || (album !== undefined && isAddressedAlbum(album)),
        ...(album === undefined ? {} : { group: album }),
        ...(message.forward_origin === undefined ? {} : { forwarded: true })
      }
    }
  }

  const ofMessage = (message: WireMessage): Incoming | undefined => {
    const { migrate_to_chat_id: to, chat, message_id } = message
    if (to === undefined) return said(message)
    const updateId = `${chat.id}/${message_id}`
    return { _tag: "Moved", conversation: conversationOf(message), updateId, chatId: String(to) }
  }

  const ofEdit = (message: WireMessage): Incoming | undefined => {
    // A place that moves is told as a change.
    if (message.text === undefined && message.caption === undefined) return undefined
    const { chat, message_id, edit_date = 0 } = message
    return {
      _tag: "Edited",
      conversation: conversationOf(message),
      updateId: `${chat.id}/${message_id}/${edit_date}`,
      chat: chatKind(chat),
      sender: senderOf(message),
      messageId: String(message_id),
      text: textOf(message, me)
    }
  }

  const ofPress = ({ id, from, message, data }: NonNullable<WireUpdate["callback_query"]>): Incoming | undefined => {
    if (message === undefined || data === undefined) return undefined
    return {
      _tag: "Pressed",
      conversation: conversationOf(message),
      updateId: `press/${id}`,
      chat: chatKind(message.chat),
      sender: senderOf({ from, chat: message.chat }),
      messageId: String(message.message_id),
      data,
      press: { id }
    }
  }

  return {
    /** Whether it makes an album one that is meant for the bot. */
    isAddressedPart: (message: WireMessage): boolean => isFor(message, replyOf(message)),
    incoming: (update: WireUpdate): Incoming | undefined => {
      const { message, edited_message, callback_query, my_chat_member, update_id } = update
      if (message !== undefined) return ofMessage(message)
      if (edited_message !== undefined) return ofEdit(edited_message)
      if (callback_query !== undefined) return ofPress(callback_query)
      if (my_chat_member === undefined) return undefined
      const { chat, new_chat_member } = my_chat_member
      if (new_chat_member.status !== "left" && new_chat_member.status !== "kicked") return undefined
      return { _tag: "Left", conversation: conversationOf({ chat }), updateId: `${chat.id}/left/${update_id}` }
    }
  }
}
