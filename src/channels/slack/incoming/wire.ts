/** The used fields of what Slack sends: untrusted until access is checked. */
import { Option, Schema } from "effect"

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const File = Schema.Struct({
  id: Schema.String,
  name: maybe(Schema.String),
  mimetype: maybe(Schema.String),
  subtype: maybe(Schema.String),
  size: maybe(Schema.Finite),
  url_private_download: maybe(Schema.String)
})
export type WireFile = typeof File.Type

/** A message in an event, in a history, or inside of a change. */
const Message = Schema.Struct({
  ts: Schema.String,
  subtype: maybe(Schema.String),
  user: maybe(Schema.String),
  user_team: maybe(Schema.String),
  team: maybe(Schema.String),
  user_profile: maybe(
    Schema.Struct({ display_name: maybe(Schema.String), real_name: maybe(Schema.String), name: maybe(Schema.String) })
  ),
  bot_id: maybe(Schema.String),
  app_id: maybe(Schema.String),
  text: maybe(Schema.String),
  thread_ts: maybe(Schema.String),
  latest_reply: maybe(Schema.String),
  edited: maybe(Schema.Struct({ ts: Schema.String })),
  files: maybe(Schema.Array(File)),
  metadata: maybe(Schema.Struct({ event_type: Schema.String, event_payload: Schema.Unknown }))
})
export type WireMessage = typeof Message.Type

const MessageEvent = Schema.Struct({
  ...Message.fields,
  type: Schema.Literals(["message", "app_mention"]),
  channel: Schema.String,
  channel_type: maybe(Schema.String),
  event_ts: maybe(Schema.String),
  deleted_ts: maybe(Schema.String),
  message: maybe(Message),
  previous_message: maybe(Message)
})
export type WireMessageEvent = typeof MessageEvent.Type

const PlaceEvent = Schema.Struct({
  type: Schema.Literals(["member_left_channel", "channel_archive", "group_archive", "channel_left", "group_left"]),
  channel: Schema.String,
  user: maybe(Schema.String),
  event_ts: maybe(Schema.String)
})

const AppEvent = Schema.Struct({ type: Schema.Literals(["app_uninstalled", "tokens_revoked"]) })

const EventPayload = Schema.Struct({
  team_id: maybe(Schema.String),
  is_ext_shared_channel: maybe(Schema.Boolean),
  event: Schema.Union([MessageEvent, PlaceEvent, AppEvent])
})
export type EventPayload = typeof EventPayload.Type

const BlockActions = Schema.Struct({
  type: Schema.Literal("block_actions"),
  trigger_id: Schema.String,
  user: Schema.Struct({
    id: Schema.String,
    name: maybe(Schema.String),
    username: maybe(Schema.String),
    team_id: maybe(Schema.String)
  }),
  channel: Schema.Struct({ id: Schema.String }),
  container: Schema.Struct({ message_ts: Schema.String, thread_ts: maybe(Schema.String) }),
  message: maybe(Schema.Struct({ thread_ts: maybe(Schema.String) })),
  response_url: maybe(Schema.String),
  actions: Schema.Array(Schema.Struct({ value: maybe(Schema.String) }))
})
export type BlockActions = typeof BlockActions.Type

const SlashCommand = Schema.Struct({
  trigger_id: Schema.String,
  team_id: maybe(Schema.String),
  channel_id: Schema.String,
  user_id: Schema.String,
  user_name: maybe(Schema.String),
  text: maybe(Schema.String)
})
export type SlashCommand = typeof SlashCommand.Type

const Frame = Schema.Struct({
  type: Schema.String,
  envelope_id: maybe(Schema.String),
  payload: maybe(Schema.Unknown),
  reason: maybe(Schema.String),
  num_connections: maybe(Schema.Finite)
})
export type Frame = typeof Frame.Type

export const readFrame = Schema.decodeUnknownOption(Schema.fromJsonString(Frame))
export const readEvent = Schema.decodeUnknownOption(EventPayload)
export const readActions = Schema.decodeUnknownOption(BlockActions)
export const readCommand = Schema.decodeUnknownOption(SlashCommand)

/** The bot in its workspace. */
const Id = Schema.String.check(Schema.isPattern(/^[A-Z0-9]{1,30}$/))
const Me = Schema.Struct({
  team_id: Id,
  user_id: Id,
  bot_id: maybe(Schema.String),
  user: maybe(Schema.String),
  team: maybe(Schema.String)
})
export type Me = typeof Me.Type
export const readMe = Schema.decodeUnknownOption(Me)

/** One that cannot be read is dropped, and the others stay. */
const oneMessage = Schema.decodeUnknownOption(Message)
const Page = Schema.Struct({
  messages: Schema.Array(Schema.Unknown),
  response_metadata: maybe(Schema.Struct({ next_cursor: maybe(Schema.String) }))
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

const readChannels = Schema.decodeUnknownOption(
  Schema.Struct({ channels: Schema.Array(Schema.Struct({ id: Schema.String })) })
)
export const channelsOf = (answer: unknown): ReadonlyArray<string> =>
  Option.getOrElse(
    Option.map(readChannels(answer), ({ channels }) => channels.map(({ id }) => id)),
    () => []
  )

const readFileInfo = Schema.decodeUnknownOption(Schema.Struct({ file: File }))
export const fileOf = (answer: unknown): WireFile | undefined =>
  Option.getOrUndefined(Option.map(readFileInfo(answer), ({ file }) => file))
