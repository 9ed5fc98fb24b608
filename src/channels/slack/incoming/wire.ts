/** The used fields of what Slack sends. People, and other apps, write most of it. */
import { Schema } from "effect"

const { optionalKey, NullOr, String: Text, Finite, Unknown } = Schema
const maybe = <S extends Schema.Top>(schema: S) => optionalKey(NullOr(schema))

const File = Schema.Struct({
  id: Text,
  name: maybe(Text),
  mimetype: maybe(Text),
  subtype: maybe(Text),
  size: maybe(Finite)
})
export type WireFile = typeof File.Type

/** Also in histories. Times (`ts`) are the ids of messages: seconds since 1970 with a number behind the dot. */
const Message = Schema.Struct({
  ts: Text,
  subtype: maybe(Text),
  user: maybe(Text),
  bot_id: maybe(Text),
  team: maybe(Text),
  user_team: maybe(Text),
  text: maybe(Text),
  thread_ts: maybe(Text),
  files: maybe(Schema.Array(Unknown))
})
export type WireMessage = typeof Message.Type

const Event = Schema.Struct({
  type: Text,
  subtype: maybe(Text),
  channel: maybe(Text),
  user: maybe(Text),
  event_ts: maybe(Text),
  deleted_ts: maybe(Text),
  message: maybe(Unknown),
  previous_message: maybe(Unknown)
})
export type WireEvent = typeof Event.Type

const EventPayload = Schema.Struct({
  team_id: maybe(Text),
  is_ext_shared_channel: maybe(Schema.Boolean),
  event: Unknown
})

const Press = Schema.Struct({
  type: Schema.Literal("block_actions"),
  user: Schema.Struct({ id: Text, team_id: maybe(Text), name: maybe(Text) }),
  channel: Schema.Struct({ id: Text }),
  container: maybe(Schema.Struct({ message_ts: maybe(Text) })),
  message: maybe(Schema.Struct({ ts: maybe(Text), thread_ts: maybe(Text) })),
  response_url: maybe(Text),
  actions: Schema.NonEmptyArray(Schema.Struct({ value: maybe(Text), action_ts: maybe(Text) }))
})
export type WirePress = typeof Press.Type

const Command = Schema.Struct({
  text: maybe(Text),
  channel_id: Text,
  user_id: Text,
  user_name: maybe(Text),
  team_id: maybe(Text),
  trigger_id: Text
})
export type WireCommand = typeof Command.Type

const Hello = Schema.Struct({
  type: Schema.Literal("hello"),
  num_connections: maybe(Finite),
  connection_info: maybe(Schema.Struct({ app_id: maybe(Text) }))
})
const Disconnect = Schema.Struct({ type: Schema.Literal("disconnect"), reason: maybe(Text) })
const Envelope = Schema.Struct({
  envelope_id: Text,
  type: Schema.Literals(["events_api", "interactive", "slash_commands"]),
  payload: Unknown
})
export type Envelope = typeof Envelope.Type

export const readFrame = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Union([Hello, Disconnect, Envelope])))
export const readEventPayload = Schema.decodeUnknownOption(EventPayload)
export const readEvent = Schema.decodeUnknownOption(Event)
export const readMessage = Schema.decodeUnknownOption(Message)
export const readFile = Schema.decodeUnknownOption(File)
export const readPress = Schema.decodeUnknownOption(Press)
export const readCommand = Schema.decodeUnknownOption(Command)

export const readOpened = Schema.decodeUnknownOption(Schema.Struct({ url: Text }))
export const readMessages = Schema.decodeUnknownOption(
  Schema.Struct({
    messages: Schema.Array(Unknown),
    has_more: maybe(Schema.Boolean),
    response_metadata: maybe(Schema.Struct({ next_cursor: maybe(Text) }))
  })
)
export const readChannels = Schema.decodeUnknownOption(
  Schema.Struct({
    channels: Schema.Array(Schema.Struct({ id: Text })),
    response_metadata: maybe(Schema.Struct({ next_cursor: maybe(Text) }))
  })
)
export const readMe = Schema.decodeUnknownOption(Schema.Struct({ user_id: Text, team_id: Text, bot_id: maybe(Text) }))
/** The bot, as it is known in its workspace. */
export interface Me {
  readonly userId: string
  readonly teamId: string
}
