/**
 * What the server says, in Telegram's words: the part of the Bot API's objects that it uses. A test holds it against the
 * published types, which the kit does not need.
 */

export interface User {
  id: number
  is_bot: boolean
  first_name: string
  username?: string
  language_code?: string
}

export type Chat =
  | { id: number; type: "private"; first_name: string; username?: string }
  | { id: number; type: "group"; title: string }
  | { id: number; type: "supergroup"; title: string; is_forum?: true }

interface Part {
  /** In UTF-16 units, as the length. */
  offset: number
  length: number
}

export type Entity = Part &
  (
    | { type: SimpleEntity }
    | { type: "pre"; language?: string }
    | { type: "text_link"; url: string }
    | { type: "text_mention"; user: User }
    | { type: "custom_emoji"; custom_emoji_id: string }
  )

export const simpleEntities = [
  "mention",
  "hashtag",
  "cashtag",
  "bot_command",
  "url",
  "email",
  "phone_number",
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "blockquote",
  "expandable_blockquote",
  "code"
] as const
type SimpleEntity = (typeof simpleEntities)[number]

export type InlineButton = { text: string } & ({ callback_data: string } | { url: string })

export interface Keyboard {
  inline_keyboard: Array<Array<InlineButton>>
}

export interface File {
  file_id: string
  file_unique_id: string
  file_size?: number
  file_path?: string
}

export interface Document {
  file_id: string
  file_unique_id: string
  file_name?: string
  mime_type?: string
  file_size?: number
}

export interface PhotoSize {
  file_id: string
  file_unique_id: string
  width: number
  height: number
  file_size?: number
}

export interface Voice {
  file_id: string
  file_unique_id: string
  duration: number
  mime_type?: string
  file_size?: number
}

export interface ForwardOrigin {
  type: "user"
  date: number
  sender_user: User
}

export interface Message {
  message_id: number
  message_thread_id?: number
  is_topic_message?: true
  from: User
  /** In seconds since 1970. */
  date: number
  chat: Chat
  forward_origin?: ForwardOrigin
  reply_to_message?: Message
  edit_date?: number
  media_group_id?: string
  text?: string
  entities?: Array<Entity>
  caption?: string
  caption_entities?: Array<Entity>
  document?: Document
  photo?: Array<PhotoSize>
  voice?: Voice
  reply_markup?: Keyboard
  migrate_to_chat_id?: number
  migrate_from_chat_id?: number
  forum_topic_created?: { name: string; icon_color: number }
  forum_topic_closed?: Record<never, never>
  forum_topic_reopened?: Record<never, never>
  new_chat_members?: Array<User>
  left_chat_member?: User
}

export interface CallbackQuery {
  id: string
  from: User
  message: Message
  chat_instance: string
  data: string
}

export type ChatMember =
  | { status: "member" | "left"; user: User }
  | { status: "kicked"; user: User; until_date: number }

export interface ChatMemberUpdated {
  chat: Chat
  from: User
  date: number
  old_chat_member: ChatMember
  new_chat_member: ChatMember
}

export interface Update {
  update_id: number
  message?: Message
  edited_message?: Message & { edit_date: number }
  callback_query?: CallbackQuery
  my_chat_member?: ChatMemberUpdated
}

/** Why a call was refused, in words of the platform. */
export interface Parameters {
  retry_after?: number
  migrate_to_chat_id?: number
}

export type Answer =
  | { ok: true; result: unknown }
  | { ok: false; error_code: number; description: string; parameters?: Parameters }
