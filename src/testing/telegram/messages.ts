/** Messages in Telegram's words, as a person sees them, and as text. */
import type { BotState, Chats, Kept, KeptChat } from "./chats.ts"
import { type Chat, type ChatMember, type Entity, type Message, type ReplyMessage, rights, type User } from "./wire.ts"

const seconds = (ms: number) => Math.floor(ms / 1_000)

export const chatOf = ({ id, kind, title, username, isForum }: KeptChat): Chat => {
  if (kind === "private") return { id, type: kind, first_name: title, ...(username === undefined ? {} : { username }) }
  if (kind === "group") return { id, type: kind, title }
  return { id, type: kind, title, ...(isForum ? { is_forum: true } : {}) }
}

/** A member's state in a chat. A person who blocks a bot has removed it: api#chatmemberbanned. */
export const memberOf = (state: BotState, user: User): ChatMember => {
  if (state === "left") return { status: "left", user }
  if (state === "administrator") return { status: "administrator", user, ...rights }
  if (state === "kicked" || state === "blocked") return { status: "kicked", user, until_date: 0 }
  return { status: "member", user }
}

const fileOf = ({ file }: Kept): Partial<Message> => {
  if (file === undefined) return {}
  const one = { file_id: file.fileId, file_unique_id: `u${file.fileId}`, file_size: file.bytes }
  const typed = file.mimeType === undefined ? {} : { mime_type: file.mimeType }
  if (file.kind === "voice") return { voice: { ...one, ...typed, duration: 1 } }
  if (file.kind === "document")
    return { document: { ...one, ...typed, ...(file.name === undefined ? {} : { file_name: file.name }) } }
  // The smallest comes first.
  const small = { file_id: `${file.fileId}s`, file_unique_id: `u${file.fileId}s`, width: 90, height: 67 }
  return { photo: [small, { ...one, width: 1280, height: 960 }] }
}

const wordsOf = ({ text, entities, file }: Kept): Partial<Message> => {
  if (text === "") return {}
  const marked = entities.length === 0 ? undefined : [...entities]
  if (file !== undefined) return { caption: text, ...(marked && { caption_entities: marked }) }
  return { text, ...(marked && { entities: marked }) }
}

const alone = (chat: KeptChat, message: Kept): ReplyMessage => ({
  message_id: message.messageId,
  from: message.from,
  chat: chatOf(chat),
  date: seconds(message.at),
  ...(message.thread === undefined ? {} : { message_thread_id: message.thread }),
  ...(message.thread !== undefined && chat.isForum ? { is_topic_message: true } : {}),
  ...(message.origin === undefined ? {} : { forward_origin: message.origin }),
  ...(message.editedAt === undefined ? {} : { edit_date: seconds(message.editedAt) }),
  ...(message.album === undefined ? {} : { media_group_id: message.album }),
  ...(message.keyboard === undefined ? {} : { reply_markup: message.keyboard }),
  ...fileOf(message),
  ...wordsOf(message),
  ...message.service,
  ...message.more
})

/** Adds the message that it replies to, if that still exists. */
export const messageOf = (chats: Chats, chat: KeptChat, message: Kept): Message => {
  const to = chats.messageOf(chat, message.replyTo)
  if (to === undefined) return alone(chat, message)
  return { ...alone(chat, message), reply_to_message: alone(chat, to) }
}

/** A message as a person sees it. */
export interface TelegramMessage {
  readonly chat: number
  readonly messageId: number
  /** The id of its sender. */
  readonly from: number
  /** The name of its sender. */
  readonly name: string
  /** Whether the bot sent it. */
  readonly isOurs: boolean
  /** A caption if it has a file; the event of a service message. */
  readonly text: string
  readonly entities: ReadonlyArray<Entity>
  /** The labels of its buttons. */
  readonly buttons: ReadonlyArray<string>
  /** The same in rows, with what they say when they are pressed. */
  readonly keyboard: ReadonlyArray<ReadonlyArray<{ readonly label: string; readonly data?: string }>>
  readonly edited: boolean
  /** Sent without a notification. */
  readonly silent: boolean
  /** In ms since 1970. */
  readonly at: number
  readonly thread?: number
  readonly replyTo?: number
  readonly files: ReadonlyArray<{ readonly kind: string; readonly name?: string; readonly bytes: number }>
  /** Messages with the same one are shown as one album. */
  readonly album?: string
  /** Reactions of the bot. */
  readonly reactions: ReadonlyArray<string>
}

export const shownOf = ({ id: chat }: KeptChat, message: Kept): TelegramMessage => {
  const { file, keyboard } = message
  const rows = (keyboard?.inline_keyboard ?? []).map((row) =>
    row.map((button) => ({ label: button.text, ...("callback_data" in button ? { data: button.callback_data } : {}) }))
  )
  const { kind, name, bytes } = file ?? {}
  return {
    chat,
    messageId: message.messageId,
    from: message.from.id,
    name: message.from.first_name,
    isOurs: message.isOurs,
    text: message.service === undefined ? message.text : Object.keys(message.service).join(" "),
    entities: message.entities,
    buttons: rows.flat().map(({ label }) => label),
    keyboard: rows,
    edited: message.editedAt !== undefined,
    silent: message.isSilent,
    at: message.at,
    files: kind === undefined ? [] : [{ kind, bytes: bytes ?? 0, ...(name === undefined ? {} : { name }) }],
    reactions: message.reactions,
    ...(message.thread === undefined ? {} : { thread: message.thread }),
    ...(message.replyTo === undefined ? {} : { replyTo: message.replyTo }),
    ...(message.album === undefined ? {} : { album: message.album })
  }
}

const size = (bytes: number) => (bytes < 1_000 ? `${bytes} B` : `${Math.round(bytes / 1_000)} kB`)

const headOf = ({ name, isOurs, replyTo, thread, silent, edited }: TelegramMessage) => {
  const notes = [
    ...(thread === undefined ? [] : [`topic ${thread}`]),
    ...(replyTo === undefined ? [] : [`reply to ${replyTo}`]),
    ...(silent ? ["silent"] : []),
    ...(edited ? ["edited"] : [])
  ]
  return `${isOurs ? "🤖 " : ""}${name}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`
}

const lines = (message: TelegramMessage): ReadonlyArray<string> => [
  `#${message.messageId} ${headOf(message)}`,
  ...message.files.map(({ kind, name = kind, bytes }) => `   📎 ${name}, ${size(bytes)}`),
  ...(message.text === "" ? [] : message.text.split("\n").map((line) => `   ${line}`)),
  ...message.keyboard.map((row) => `   ${row.map(({ label }) => `[${label}]`).join(" ")}`),
  ...(message.reactions.length === 0 ? [] : [`   ${message.reactions.join(" ")}`])
]

export const render = (messages: ReadonlyArray<TelegramMessage>): string =>
  messages.map((message) => lines(message).join("\n")).join("\n")
