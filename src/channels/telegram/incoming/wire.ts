/** The used fields of Telegram's updates: untrusted until access is checked. */
import { Option, Schema } from "effect"

const { optionalKey, String: Text, Finite, Boolean: Flag, Unknown } = Schema

const User = Schema.Struct({
  id: Finite,
  is_bot: Flag,
  first_name: optionalKey(Text),
  last_name: optionalKey(Text),
  username: optionalKey(Text)
})

const Chat = Schema.Struct({ id: Finite, type: Text, title: optionalKey(Text), username: optionalKey(Text) })

const Entity = Schema.Struct({
  type: Text,
  offset: Finite,
  length: Finite,
  url: optionalKey(Text),
  user: optionalKey(User)
})
export type WireEntity = typeof Entity.Type

const File = Schema.Struct({
  file_id: Text,
  file_size: optionalKey(Finite),
  file_name: optionalKey(Text),
  mime_type: optionalKey(Text),
  width: optionalKey(Finite),
  height: optionalKey(Finite)
})
export type WireFile = typeof File.Type

const words = {
  text: optionalKey(Text),
  entities: optionalKey(Schema.Array(Entity)),
  caption: optionalKey(Text),
  caption_entities: optionalKey(Schema.Array(Entity))
}

/** The message that another one replies to; some have only their place, and the date 0. */
const Replied = Schema.Struct({
  message_id: Finite,
  from: optionalKey(User),
  text: optionalKey(Text),
  caption: optionalKey(Text),
  forum_topic_created: optionalKey(Unknown)
})

const Message = Schema.Struct({
  message_id: Finite,
  date: Finite,
  edit_date: optionalKey(Finite),
  chat: Chat,
  from: optionalKey(User),
  /** An anonymous admin or a channel, in place of a person. */
  sender_chat: optionalKey(Chat),
  message_thread_id: optionalKey(Finite),
  is_topic_message: optionalKey(Flag),
  reply_to_message: optionalKey(Replied),
  media_group_id: optionalKey(Text),
  forward_origin: optionalKey(Unknown),
  migrate_to_chat_id: optionalKey(Finite),
  ...words,
  photo: optionalKey(Schema.Array(File)),
  document: optionalKey(File),
  voice: optionalKey(File),
  audio: optionalKey(File),
  video: optionalKey(File),
  video_note: optionalKey(File),
  animation: optionalKey(File),
  sticker: optionalKey(Unknown),
  location: optionalKey(Unknown),
  venue: optionalKey(Unknown),
  contact: optionalKey(Unknown),
  poll: optionalKey(Unknown),
  dice: optionalKey(Unknown),
  story: optionalKey(Unknown)
})
export type WireMessage = typeof Message.Type

const Query = Schema.Struct({
  id: Text,
  from: User,
  message: optionalKey(
    Schema.Struct({
      message_id: Finite,
      chat: Chat,
      message_thread_id: optionalKey(Finite),
      is_topic_message: optionalKey(Flag)
    })
  ),
  data: optionalKey(Text)
})

/** A stop of a draft: `MessageGenerationStopped` of the Bot API, for private chats alone. */
const DraftStopped = Schema.Struct({ chat: Chat, message_thread_id: optionalKey(Finite), draft_id: Finite })

const MemberUpdated = Schema.Struct({ chat: Chat, new_chat_member: Schema.Struct({ status: Text }) })

const Update = Schema.Struct({
  update_id: Finite,
  message: optionalKey(Message),
  edited_message: optionalKey(Message),
  callback_query: optionalKey(Query),
  my_chat_member: optionalKey(MemberUpdated),
  stopped_message_generation: optionalKey(DraftStopped)
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
  id: Finite,
  username: optionalKey(Text),
  can_join_groups: optionalKey(Flag),
  can_read_all_group_messages: optionalKey(Flag)
})
/** The bot itself. */
export type Me = typeof Me.Type

export const readUpdate = Schema.decodeUnknownOption(Update)
export const readMe = Schema.decodeUnknownOption(Me)
export const readHook = Schema.decodeUnknownOption(Schema.Struct({ url: Text }))

const readId = Schema.decodeUnknownOption(Schema.Struct({ update_id: Schema.Int }))
/** The id of an update that may be malformed otherwise. */
export const updateIdOf = (value: unknown): number | undefined =>
  Option.getOrUndefined(Option.map(readId(value), ({ update_id }) => update_id))
