/** The used part of the Bot API's objects, in Telegram's words. A test checks it against the published types. */

export interface User {
  id: number
  is_bot: boolean
  first_name: string
  username?: string
  language_code?: string
}

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
  "mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bold", "italic", "underline",
  "strikethrough", "spoiler", "blockquote", "expandable_blockquote", "code"
] as const // biome-ignore format: one list
type SimpleEntity = (typeof simpleEntities)[number]
export type InlineButton = { text: string } & ({ callback_data: string } | { url: string })

export interface Keyboard {
  inline_keyboard: Array<Array<InlineButton>>
}

interface FileFacts {
  file_id: string
  file_unique_id: string
  file_size?: number
}

export interface File extends FileFacts {
  file_path?: string
}

interface Document extends FileFacts {
  file_name?: string
  mime_type?: string
}

interface PhotoSize extends FileFacts {
  width: number
  height: number
}

interface Voice extends FileFacts {
  duration: number
  mime_type?: string
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

/** Replies do not nest: api#message, `reply_to_message`. */
export type ReplyMessage = Omit<Message, "reply_to_message">

export interface CallbackQuery {
  id: string
  from: User
  message: Message
  chat_instance: string
  data: string
}

/** Rights of an administrator: all are present. */
export const rights = {
  can_be_edited: false,
  is_anonymous: false,
  can_manage_chat: true,
  can_delete_messages: true,
  can_manage_video_chats: false,
  can_restrict_members: false,
  can_promote_members: false,
  can_change_info: false,
  can_invite_users: false,
  can_post_stories: false,
  can_edit_stories: false,
  can_delete_stories: false,
  can_send_welcome_messages: false
} as const
type Rights = { -readonly [Right in keyof typeof rights]: boolean }

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

interface MessageGenerationStopped {
  chat: Extract<Chat, { type: "private" }>
  message_thread_id?: number
  draft_id: number
}

export interface Update {
  update_id: number
  message?: Message
  edited_message?: Message & { edit_date: number }
  callback_query?: CallbackQuery
  my_chat_member?: ChatMemberUpdated
  stopped_message_generation?: MessageGenerationStopped
}

export interface WebhookInfo {
  url: string
  has_custom_certificate: boolean
  pending_update_count: number
}

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
