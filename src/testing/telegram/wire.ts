/**
 * Data of the server, in Telegram's words: the used part of the Bot API's objects. A test checks it against the
 * published types, which the kit does not need.
 */

export interface User {
  id: number
  is_bot: boolean
  first_name: string
  username?: string
  language_code?: string
}

/** Answer of `getMe`. */
export interface Me extends User {
  is_bot: true
  username: string
  can_join_groups: boolean
  can_read_all_group_messages: boolean
  supports_inline_queries: boolean
  can_connect_to_business: boolean
  has_main_web_app: boolean
  has_topics_enabled: boolean
  allows_users_to_create_topics: boolean
  can_manage_bots: boolean
  supports_join_request_queries: boolean
}

export type Chat =
  | { id: number; type: "private"; first_name: string; username?: string }
  | { id: number; type: "group"; title: string }
  | { id: number; type: "supergroup"; title: string; is_forum?: true }

/** Answer of `getChat`. */
export type ChatInfo = Chat & {
  accent_color_id: number
  max_reaction_count: number
  accepted_gift_types: {
    unlimited_gifts: boolean
    limited_gifts: boolean
    unique_gifts: boolean
    premium_subscription: boolean
    gifts_from_channels: boolean
  }
}

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

interface Document {
  file_id: string
  file_unique_id: string
  file_name?: string
  mime_type?: string
  file_size?: number
}

interface PhotoSize {
  file_id: string
  file_unique_id: string
  width: number
  height: number
  file_size?: number
}

interface Voice {
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
  reply_to_message?: ReplyMessage
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

/** One within another has none within itself: api#message, `reply_to_message`. */
export type ReplyMessage = Omit<Message, "reply_to_message">

export interface CallbackQuery {
  id: string
  from: User
  message: Message
  chat_instance: string
  data: string
}

/** Rights of an administrator: all are present. */
interface Rights {
  can_be_edited: boolean
  is_anonymous: boolean
  can_manage_chat: boolean
  can_delete_messages: boolean
  can_manage_video_chats: boolean
  can_restrict_members: boolean
  can_promote_members: boolean
  can_change_info: boolean
  can_invite_users: boolean
  can_post_stories: boolean
  can_edit_stories: boolean
  can_delete_stories: boolean
  can_send_welcome_messages: boolean
}

export type ChatMember =
  | { status: "member"; user: User }
  | { status: "left"; user: User }
  | ({ status: "administrator"; user: User } & Rights)
  | { status: "kicked"; user: User; until_date: number }

interface ChatMemberUpdated {
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

/** Answer of `getWebhookInfo`. */
export interface WebhookInfo {
  url: string
  has_custom_certificate: boolean
  pending_update_count: number
}

/** A command that a bot offers. */
export interface Command {
  command: string
  description: string
}

/** Why a call was refused, in words of the platform. */
export interface Parameters {
  retry_after?: number
  migrate_to_chat_id?: number
}

export type Answer =
  | { ok: true; result: unknown }
  | { ok: false; error_code: number; description: string; parameters?: Parameters }
