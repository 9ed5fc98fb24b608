/** The used fields of Telegram's updates: untrusted until access is checked. */
import { Option, Schema } from "effect"

const User = Schema.Struct({
  id: Schema.Finite,
  is_bot: Schema.Boolean,
  first_name: Schema.optionalKey(Schema.String),
  last_name: Schema.optionalKey(Schema.String),
  username: Schema.optionalKey(Schema.String)
})

const Chat = Schema.Struct({
  id: Schema.Finite,
  type: Schema.String,
  title: Schema.optionalKey(Schema.String),
  username: Schema.optionalKey(Schema.String)
})

const Entity = Schema.Struct({
  type: Schema.String,
  offset: Schema.Finite,
  length: Schema.Finite,
  url: Schema.optionalKey(Schema.String),
  user: Schema.optionalKey(User)
})
export type WireEntity = typeof Entity.Type

const File = Schema.Struct({
  file_id: Schema.String,
  file_size: Schema.optionalKey(Schema.Finite),
  file_name: Schema.optionalKey(Schema.String),
  mime_type: Schema.optionalKey(Schema.String),
  width: Schema.optionalKey(Schema.Finite),
  height: Schema.optionalKey(Schema.Finite)
})
export type WireFile = typeof File.Type

const words = {
  text: Schema.optionalKey(Schema.String),
  entities: Schema.optionalKey(Schema.Array(Entity)),
  caption: Schema.optionalKey(Schema.String),
  caption_entities: Schema.optionalKey(Schema.Array(Entity))
}

/** The message that another one replies to; some have only their place, and the date 0. */
const Replied = Schema.Struct({
  message_id: Schema.Finite,
  from: Schema.optionalKey(User),
  text: Schema.optionalKey(Schema.String),
  caption: Schema.optionalKey(Schema.String),
  forum_topic_created: Schema.optionalKey(Schema.Unknown)
})

const Message = Schema.Struct({
  message_id: Schema.Finite,
  date: Schema.Finite,
  edit_date: Schema.optionalKey(Schema.Finite),
  chat: Chat,
  from: Schema.optionalKey(User),
  /** An anonymous admin or a channel, in place of a person. */
  sender_chat: Schema.optionalKey(Chat),
  message_thread_id: Schema.optionalKey(Schema.Finite),
  is_topic_message: Schema.optionalKey(Schema.Boolean),
  reply_to_message: Schema.optionalKey(Replied),
  media_group_id: Schema.optionalKey(Schema.String),
  forward_origin: Schema.optionalKey(Schema.Unknown),
  migrate_to_chat_id: Schema.optionalKey(Schema.Finite),
  ...words,
  photo: Schema.optionalKey(Schema.Array(File)),
  document: Schema.optionalKey(File),
  voice: Schema.optionalKey(File),
  audio: Schema.optionalKey(File),
  video: Schema.optionalKey(File),
  video_note: Schema.optionalKey(File),
  animation: Schema.optionalKey(File),
  sticker: Schema.optionalKey(Schema.Unknown),
  location: Schema.optionalKey(Schema.Unknown),
  venue: Schema.optionalKey(Schema.Unknown),
  contact: Schema.optionalKey(Schema.Unknown),
  poll: Schema.optionalKey(Schema.Unknown),
  dice: Schema.optionalKey(Schema.Unknown),
  story: Schema.optionalKey(Schema.Unknown)
})
export type WireMessage = typeof Message.Type

const Query = Schema.Struct({
  id: Schema.String,
  from: User,
  message: Schema.optionalKey(
    Schema.Struct({
      message_id: Schema.Finite,
      chat: Chat,
      message_thread_id: Schema.optionalKey(Schema.Finite),
      is_topic_message: Schema.optionalKey(Schema.Boolean)
    })
  ),
  data: Schema.optionalKey(Schema.String)
})

/** A stop of a draft: `MessageGenerationStopped` of the Bot API, for private chats alone. */
const DraftStopped = Schema.Struct({
  chat: Chat,
  message_thread_id: Schema.optionalKey(Schema.Finite),
  draft_id: Schema.Finite
})

const MemberUpdated = Schema.Struct({ chat: Chat, new_chat_member: Schema.Struct({ status: Schema.String }) })

const Update = Schema.Struct({
  update_id: Schema.Finite,
  message: Schema.optionalKey(Message),
  edited_message: Schema.optionalKey(Message),
  callback_query: Schema.optionalKey(Query),
  my_chat_member: Schema.optionalKey(MemberUpdated),
  stopped_message_generation: Schema.optionalKey(DraftStopped)
})
export type WireUpdate = typeof Update.Type

/** Update kinds to subscribe to. An older server ignores unknown ones (`get_allowed_update_types` of its source). */
export const kinds = [
  "message",
  "edited_message",
  "callback_query",
  "my_chat_member",
  "stopped_message_generation"
] as const

export const Me = Schema.Struct({
  id: Schema.Finite,
  username: Schema.optionalKey(Schema.String),
  can_join_groups: Schema.optionalKey(Schema.Boolean),
  can_read_all_group_messages: Schema.optionalKey(Schema.Boolean)
})
/** The bot itself. */
export type Me = typeof Me.Type

export const readUpdate = Schema.decodeUnknownOption(Update)
export const readMe = Schema.decodeUnknownOption(Me)
export const readHook = Schema.decodeUnknownOption(Schema.Struct({ url: Schema.String }))

const readId = Schema.decodeUnknownOption(Schema.Struct({ update_id: Schema.Int }))
/** The id of an update that may be malformed otherwise. */
export const updateIdOf = (value: unknown): number | undefined =>
  Option.getOrUndefined(Option.map(readId(value), ({ update_id }) => update_id))
