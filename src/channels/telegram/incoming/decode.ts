/**
 * Updates of Telegram → updates of the channel; pure. Updates without use for a bridge are dropped, such as a person who
 * joins a group. Update ids come from messages and presses, so that repeated updates are deduplicated.
 */
import type { ChannelMessage, MessageAttachment, Sender } from "../../../bridge/messages/ChannelMessage.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"
import { present } from "../../../contract/present.ts"
import { channelId } from "../TelegramOptions.ts"
import type { Me, WireEntity, WireFile, WireMessage, WireUpdate } from "./wire.ts"

type Words = Pick<WireMessage, "text" | "entities" | "caption" | "caption_entities">

const entitiesOf = ({ text, entities, caption_entities }: Words): ReadonlyArray<WireEntity> =>
  (text === undefined ? caption_entities : entities) ?? []

const textOrCaption = ({ text, caption }: Words): string => text ?? caption ?? ""

const partOf = (text: string, { offset, length }: WireEntity) => text.slice(offset, offset + length)

const isName = (text: string, { username }: Me) =>
  username !== undefined && text.toLowerCase() === `@${username.toLowerCase()}`

const isMention = (text: string, entity: WireEntity, me: Me): boolean =>
  entity.type === "text_mention"
    ? entity.user?.id === me.id
    : entity.type === "mention" && isName(partOf(text, entity), me)

/** `named`: addressed to this bot; `open`: without an address. */
const commandOf = (text: string, entities: ReadonlyArray<WireEntity>, me: Me) => {
  const entity = entities.find(({ type, offset }) => type === "bot_command" && text.slice(0, offset).trim() === "")
  if (entity === undefined) return undefined
  const word = partOf(text, entity)
  const at = word.indexOf("@")
  if (at < 0) return { entity, at, to: "open" } as const
  return { entity, at, to: isName(word.slice(at), me) ? "named" : "other" } as const
}

/** Appends the addresses of links, which only their marks contain. */
const withAddresses = (text: string, entities: ReadonlyArray<WireEntity>): string => {
  const links = entities
    .filter(({ type, url }) => type === "text_link" && url !== undefined)
    .sort((a, b) => b.offset - a.offset)
  return links.reduce((all, { offset, length, url = "" }) => {
    const end = offset + length
    return all.slice(offset, end) === url ? all : `${all.slice(0, end)} (${url})${all.slice(end)}`
  }, text)
}

/** The text without the bot's own name, behind a command or at the start. */
const textOf = (words: Words, me: Me): string => {
  const text = textOrCaption(words)
  const entities = entitiesOf(words)
  const command = commandOf(text, entities, me)
  if (command?.to === "named") {
    const { entity, at } = command
    const name = partOf(text, entity)
    return text.slice(0, entity.offset) + name.slice(0, at) + text.slice(entity.offset + name.length)
  }
  const first = entities.find((entity) => entity.offset === 0 && isMention(text, entity, me))
  const linked = withAddresses(text, entities)
  return first === undefined ? linked : linked.slice(first.length).replace(/^[\s,:]+/, "")
}

/** For groups. A command to another bot is not ours, even as a reply to us. */
const isAddressed = (words: Words, isReplyToUs: boolean, me: Me): boolean => {
  const text = textOrCaption(words)
  const entities = entitiesOf(words)
  const command = commandOf(text, entities, me)
  if (command !== undefined) return command.to !== "other"
  return isReplyToUs || entities.some((entity) => isMention(text, entity, me))
}

const sizeOf = ({ width = 0, height = 0, file_size = 0 }: WireFile) => [width * height, file_size] as const

const larger = (one: WireFile, other: WireFile): WireFile => {
  const [[area, bytes], [otherArea, otherBytes]] = [sizeOf(one), sizeOf(other)]
  return otherArea > area || (otherArea === area && otherBytes >= bytes) ? other : one
}

const attachment = (
  kind: MessageAttachment["kind"],
  { file_id, file_name, mime_type, file_size }: WireFile
): MessageAttachment => ({
  kind,
  fileId: file_id,
  ...present({ name: file_name?.slice(0, 255), mimeType: mime_type?.slice(0, 255), bytes: file_size })
})

/** The files of a message; of a photo, the largest size. */
const attachmentsOf = (message: WireMessage): ReadonlyArray<MessageAttachment> => {
  const { photo = [], voice, audio, video, video_note, animation } = message
  const [first, ...sizes] = photo
  const image = first === undefined ? [] : [attachment("image", sizes.reduce(larger, first))]
  const files = [
    ["voice", voice],
    ["audio", audio],
    ["video", video ?? video_note ?? animation],
    // An animation comes as a document, too.
    ["document", animation === undefined ? message.document : undefined]
  ] as const
  return [
    ...image.map((each) => ({ mimeType: "image/jpeg", ...each })),
    ...files.flatMap(([kind, file]) => (file === undefined ? [] : [attachment(kind, file)]))
  ]
}

type Placed = Pick<WireMessage, "chat" | "message_thread_id" | "is_topic_message">

/** Replies in a group without topics have a thread id as well, which is ignored. "General" has no number. */
const threadOf = ({ is_topic_message, message_thread_id }: Placed): string | undefined =>
  is_topic_message === true && message_thread_id !== undefined && message_thread_id !== 1
    ? String(message_thread_id)
    : undefined

const chatKind = ({ type }: Placed["chat"]) => (type === "private" ? "direct" : "group")

/** The sender of a message: a chat that speaks for itself is not a person. */
const senderOf = ({ from, sender_chat, chat }: Pick<WireMessage, "from" | "sender_chat" | "chat">): Sender => {
  const speaker = sender_chat ?? (from === undefined ? chat : undefined)
  if (speaker !== undefined || from === undefined) {
    const { id, title } = speaker ?? chat
    // A chat with one person has that person's id.
    return { id: id < 0 ? String(id) : `chat ${id}`, ...(title === undefined ? {} : { name: title }), isBot: false }
  }
  const { id, is_bot, first_name = "", last_name = "", username } = from
  const name = `${first_name} ${last_name}`.trim()
  return { id: String(id), ...(name === "" ? {} : { name }), ...present({ username }), isBot: is_bot }
}

/** Messages of a person without content that an agent could use. */
const silent = ["sticker", "location", "venue", "contact", "poll", "dice", "story"] as const

const isFromPerson = (message: WireMessage): boolean =>
  message.text !== undefined ||
  message.caption !== undefined ||
  attachmentsOf(message).length > 0 ||
  silent.some((kind) => message[kind] !== undefined)

export interface DecodeContext {
  readonly me: Me
  /** True if another part of the album, which may have the caption, is addressed to the bot. */
  readonly isAddressedAlbum: (album: string) => boolean
}

export const makeDecode = ({ me, isAddressedAlbum }: DecodeContext) => {
  const accountId = String(me.id)
  const conversationOf = (placed: Placed): Conversation => {
    const place = { channel: channelId, accountId, chatId: String(placed.chat.id) }
    return { ...place, ...present({ threadId: threadOf(placed) }) }
  }

  /** In a topic, a message that is not a reply has the topic's first message here. */
  const replyOf = (message: WireMessage): ChannelMessage["replyTo"] => {
    const to = message.reply_to_message
    if (to === undefined || to.forum_topic_created !== undefined) return undefined
    if (message.is_topic_message === true && to.message_id === message.message_thread_id) return undefined
    const text = to.text ?? to.caption
    return { messageId: String(to.message_id), ...present({ text }), ours: to.from?.id === me.id }
  }

  const isFor = (message: WireMessage, replyTo: ChannelMessage["replyTo"]): boolean =>
    chatKind(message.chat) === "direct" || isAddressed(message, replyTo?.ours === true, me)

  const messageUpdate = (message: WireMessage): Incoming | undefined => {
    if (!isFromPerson(message)) return undefined
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
        ...present({ replyTo, group: album }),
        addressed: isFor(message, replyTo) || (album !== undefined && isAddressedAlbum(album)),
        ...(message.forward_origin === undefined ? {} : { forwarded: true })
      }
    }
  }

  const ofMessage = (message: WireMessage): Incoming | undefined => {
    const { migrate_to_chat_id: to, chat, message_id } = message
    if (to === undefined) return messageUpdate(message)
    const updateId = `${chat.id}/${message_id}`
    return { _tag: "Moved", conversation: conversationOf(message), updateId, chatId: String(to) }
  }

  const ofEdit = (message: WireMessage): Incoming | undefined => {
    // Moves of a live location come as edits.
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

  /** The update names no person: a private chat has the id of its own. */
  const ofStop = (
    { chat, message_thread_id, draft_id }: NonNullable<WireUpdate["stopped_message_generation"]>,
    updateId: number
  ): Incoming | undefined => {
    if (chatKind(chat) !== "direct") return undefined
    return {
      _tag: "StopAsked",
      conversation: conversationOf({ chat, is_topic_message: true, ...present({ message_thread_id }) }),
      updateId: `${chat.id}/stop/${updateId}`,
      chat: "direct",
      sender: { id: String(chat.id), isBot: false },
      draftId: draft_id
    }
  }

  return {
    /** True if it makes its album addressed to the bot. */
    isAddressedPart: (message: WireMessage): boolean => isFor(message, replyOf(message)),
    incoming: (update: WireUpdate): Incoming | undefined => {
      const { message, edited_message, callback_query, my_chat_member, stopped_message_generation, update_id } = update
      if (message !== undefined) return ofMessage(message)
      if (edited_message !== undefined) return ofEdit(edited_message)
      if (callback_query !== undefined) return ofPress(callback_query)
      if (stopped_message_generation !== undefined) return ofStop(stopped_message_generation, update_id)
      if (my_chat_member === undefined) return undefined
      const { chat, new_chat_member } = my_chat_member
      if (new_chat_member.status !== "left" && new_chat_member.status !== "kicked") return undefined
      return { _tag: "Left", conversation: conversationOf({ chat }), updateId: `${chat.id}/left/${update_id}` }
    }
  }
}
