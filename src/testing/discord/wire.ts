/** The used part of Discord's objects, in Discord's words. A test checks it against the published types. */

export interface User {
  id: string
  username: string
  global_name: string | null
  discriminator: string
  avatar: string | null
  bot?: boolean
}

export interface Attachment {
  id: string
  filename: string
  size: number
  url: string
  proxy_url: string
  content_type?: string
  /** Present on voice messages. */
  waveform?: string
}

export interface Button {
  type: 2
  style: 1 | 2 | 3 | 4
  custom_id: string
  label: string
}

export interface Row {
  type: 1
  components: Array<Button>
}

export interface Message {
  id: string
  channel_id: string
  author: User
  content: string
  timestamp: string
  edited_timestamp: string | null
  tts: boolean
  mention_everyone: boolean
  mentions: Array<User>
  mention_roles: Array<string>
  attachments: Array<Attachment>
  embeds: Array<never>
  pinned: boolean
  type: 0 | 18 | 19 | 20 | 21
  flags: number
  components: Array<Row>
  message_reference?: { type: 0 | 1; channel_id: string; message_id: string; guild_id?: string }
  referenced_message?: Message | null
  thread?: Channel
}

/** Discord adds these to messages of the gateway. */
export interface MessageEvent extends Message {
  guild_id?: string
  member?: { roles: Array<string>; joined_at: string | null; deaf: boolean; mute: boolean; flags: number }
  /** Present on the bot's own messages. */
  nonce?: string
}

/** 0: text, 1: direct, 2: voice, 5: announcements, 10–12: threads, 15: forum. */
export type ChannelType = 0 | 1 | 2 | 5 | 10 | 11 | 12 | 15

export interface Channel {
  id: string
  type: ChannelType
  name?: string
  guild_id?: string
  parent_id?: string | null
  owner_id?: string
  recipients?: Array<User>
  thread_metadata?: { archived: boolean; locked: boolean; auto_archive_duration: number; archive_timestamp: string }
}

/** `errors` is for programmers; a client decides by the code. */
export interface ErrorBody {
  message: string
  code: number
  errors?: unknown
}
