/** The used fields of what Slack sends: untrusted until access is checked. */
import { Option, Schema } from "effect"

const { optionalKey, String: Text, Finite, Unknown, NullOr } = Schema
const maybe = <S extends Schema.Top>(schema: S) => optionalKey(NullOr(schema))

const File = Schema.Struct({
  id: Text,
  name: maybe(Text),
  mimetype: maybe(Text),
  subtype: maybe(Text),
  size: maybe(Finite),
  url_private_download: maybe(Text)
})
export type WireFile = typeof File.Type

/** A message in an event, in a history, or inside of a change. */
const Message = Schema.Struct({
  ts: Text,
  subtype: maybe(Text),
  user: maybe(Text),
  user_team: maybe(Text),
  team: maybe(Text),
  user_profile: maybe(Schema.Struct({ display_name: maybe(Text), real_name: maybe(Text), name: maybe(Text) })),
  bot_id: maybe(Text),
  app_id: maybe(Text),
  text: maybe(Text),
  thread_ts: maybe(Text),
  latest_reply: maybe(Text),
  edited: maybe(Schema.Struct({ ts: Text })),
  files: maybe(Schema.Array(File)),
  metadata: maybe(Schema.Struct({ event_type: Text, event_payload: Unknown }))
})
export type WireMessage = typeof Message.Type

const MessageEvent = Schema.Struct({
  ...Message.fields,
  type: Schema.Literals(["message", "app_mention"]),
  channel: Text,
  channel_type: maybe(Text),
  event_ts: maybe(Text),
  deleted_ts: maybe(Text),
  message: maybe(Message),
  previous_message: maybe(Message)
})
export type WireMessageEvent = typeof MessageEvent.Type

const PlaceEvent = Schema.Struct({
  type: Schema.Literals(["member_left_channel", "channel_archive", "group_archive", "channel_left", "group_left"]),
  channel: Text,
  user: maybe(Text),
  event_ts: maybe(Text)
})

const AppEvent = Schema.Struct({ type: Schema.Literals(["app_uninstalled", "tokens_revoked"]) })

const EventPayload = Schema.Struct({
  team_id: maybe(Text),
  is_ext_shared_channel: maybe(Schema.Boolean),
  event: Schema.Union([MessageEvent, PlaceEvent, AppEvent])
})
export type EventPayload = typeof EventPayload.Type

const BlockActions = Schema.Struct({
  type: Schema.Literal("block_actions"),
  trigger_id: Text,
  user: Schema.Struct({ id: Text, name: maybe(Text), username: maybe(Text), team_id: maybe(Text) }),
  channel: Schema.Struct({ id: Text }),
  container: Schema.Struct({ message_ts: Text, thread_ts: maybe(Text) }),
  message: maybe(Schema.Struct({ thread_ts: maybe(Text) })),
  response_url: maybe(Text),
  actions: Schema.Array(Schema.Struct({ value: maybe(Text) }))
})
export type BlockActions = typeof BlockActions.Type

const SlashCommand = Schema.Struct({
  trigger_id: Text,
  team_id: maybe(Text),
  channel_id: Text,
  user_id: Text,
  user_name: maybe(Text),
  text: maybe(Text)
})
export type SlashCommand = typeof SlashCommand.Type

const Frame = Schema.Struct({
  type: Text,
  envelope_id: maybe(Text),
  payload: maybe(Unknown),
  reason: maybe(Text),
  num_connections: maybe(Finite)
})
export type Frame = typeof Frame.Type

export const readFrame = Schema.decodeUnknownOption(Schema.fromJsonString(Frame))
export const readEvent = Schema.decodeUnknownOption(EventPayload)
export const readActions = Schema.decodeUnknownOption(BlockActions)
export const readCommand = Schema.decodeUnknownOption(SlashCommand)

/** The bot in its workspace. */
const Id = Text.check(Schema.isPattern(/^[A-Z0-9]{1,30}$/))
const Me = Schema.Struct({ team_id: Id, user_id: Id, bot_id: maybe(Text), user: maybe(Text), team: maybe(Text) })
export type Me = typeof Me.Type
export const readMe = Schema.decodeUnknownOption(Me)

/** One that cannot be read is dropped, and the others stay. */
const oneMessage = Schema.decodeUnknownOption(Message)
const Page = Schema.Struct({
  messages: Schema.Array(Unknown),
  response_metadata: maybe(Schema.Struct({ next_cursor: maybe(Text) }))
})
const readPage = Schema.decodeUnknownOption(Page)

export interface MessagePage {
  readonly messages: ReadonlyArray<WireMessage>
  /** Undefined on the last page. */
  readonly next: string | undefined
}

export const messagesOf = (answer: unknown): MessagePage | undefined => {
  const page = Option.getOrUndefined(readPage(answer))
  if (page === undefined) return undefined
  const messages = page.messages.flatMap((each) => Option.toArray(oneMessage(each)))
  return { messages, next: page.response_metadata?.next_cursor || undefined }
}

const readChannels = Schema.decodeUnknownOption(Schema.Struct({ channels: Schema.Array(Schema.Struct({ id: Text })) }))
export const channelsOf = (answer: unknown): ReadonlyArray<string> =>
  Option.getOrElse(
    Option.map(readChannels(answer), ({ channels }) => channels.map(({ id }) => id)),
    () => []
  )

const readFileInfo = Schema.decodeUnknownOption(Schema.Struct({ file: File }))
export const fileOf = (answer: unknown): WireFile | undefined =>
  Option.getOrUndefined(Option.map(readFileInfo(answer), ({ file }) => file))
