/** The part of Discord's objects that is read. Lenient: whatever else comes is passed over. */
import { Option, Schema } from "effect"

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Id = Schema.String.check(Schema.isPattern(/^\d{1,20}$/))

const User = Schema.Struct({
  id: Id,
  username: optional(Schema.String),
  global_name: optional(Schema.String),
  bot: optional(Schema.Boolean)
})
export type WireUser = typeof User.Type

const Member = Schema.Struct({ roles: optional(Schema.Array(Schema.String)), user: optional(User) })
export type WireMember = typeof Member.Type

export const readMember = Schema.decodeUnknownOption(Member)

const Attachment = Schema.Struct({
  id: Id,
  filename: optional(Schema.String),
  size: optional(Schema.Finite),
  url: optional(Schema.String),
  content_type: optional(Schema.String),
  waveform: optional(Schema.String)
})
export type WireAttachment = typeof Attachment.Type

const words = {
  content: optional(Schema.String),
  attachments: optional(Schema.Array(Attachment)),
  mentions: optional(Schema.Array(User))
}

const Message = Schema.Struct({
  ...words,
  id: Id,
  channel_id: Id,
  guild_id: optional(Id),
  type: optional(Schema.Finite),
  author: optional(User),
  member: optional(Member),
  webhook_id: optional(Schema.String),
  timestamp: optional(Schema.String),
  edited_timestamp: optional(Schema.String),
  flags: optional(Schema.Finite),
  nonce: optional(Schema.Union([Schema.String, Schema.Finite])),
  sticker_items: optional(Schema.Array(Schema.Unknown)),
  poll: optional(Schema.Unknown),
  message_reference: optional(Schema.Struct({ type: optional(Schema.Finite), message_id: optional(Id) })),
  referenced_message: optional(Schema.Struct({ ...words, id: Id, author: optional(User) })),
  message_snapshots: optional(Schema.Array(Schema.Struct({ message: Schema.Struct(words) })))
})
export type WireMessage = typeof Message.Type
export const readMessage = Schema.decodeUnknownOption(Message)

const Deleted = Schema.Struct({ id: Id, channel_id: Id, guild_id: optional(Id) })
export type WireDeleted = typeof Deleted.Type
export const readDeleted = Schema.decodeUnknownOption(Deleted)

const Channel = Schema.Struct({
  id: Id,
  type: Schema.Finite,
  guild_id: optional(Id),
  parent_id: optional(Id),
  owner_id: optional(Id),
  name: optional(Schema.String)
})
export type WireChannel = typeof Channel.Type
export const readChannel = Schema.decodeUnknownOption(Channel)

const Option_ = Schema.Struct({ value: optional(Schema.Unknown) })
const Interaction = Schema.Struct({
  id: Id,
  token: Schema.String,
  type: Schema.Finite,
  channel_id: optional(Id),
  guild_id: optional(Id),
  user: optional(User),
  member: optional(Member),
  message: optional(Schema.Struct({ id: Id })),
  data: optional(
    Schema.Struct({
      custom_id: optional(Schema.String),
      name: optional(Schema.String),
      options: optional(Schema.Array(Option_))
    })
  )
})
export type WireInteraction = typeof Interaction.Type
export const readInteraction = Schema.decodeUnknownOption(Interaction)

const Guild = Schema.Struct({
  id: Id,
  unavailable: optional(Schema.Boolean),
  channels: optional(Schema.Array(Schema.Unknown)),
  threads: optional(Schema.Array(Schema.Unknown))
})
export const readGuild = Schema.decodeUnknownOption(Guild)

const Ready = Schema.Struct({ session_id: Schema.String, resume_gateway_url: Schema.String })
export const readReady = Schema.decodeUnknownOption(Ready)

const Me = Schema.Struct({ id: Id, username: optional(Schema.String) })
export const readMe = Schema.decodeUnknownOption(Me)

const Application = Schema.Struct({ flags: optional(Schema.Finite) })
export const readApplication = Schema.decodeUnknownOption(Application)

const Limit = Schema.Struct({ remaining: Schema.Finite, reset_after: Schema.Finite, total: optional(Schema.Finite) })
const GatewayInfo = Schema.Struct({ url: Schema.String, session_start_limit: Limit })
export const readGateway = Schema.decodeUnknownOption(GatewayInfo)

const Frame = Schema.Struct({
  op: Schema.Finite,
  d: Schema.Unknown,
  s: optional(Schema.Finite),
  t: optional(Schema.String)
})
export const readFrame = Schema.decodeUnknownOption(Schema.fromJsonString(Frame))

const Hello = Schema.Struct({
  heartbeat_interval: Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 3_600_000 }))
})
export const readHello = Schema.decodeUnknownOption(Hello)

/** All that can be read of a list of strangers. */
export const readEach = <A>(read: (input: unknown) => Option.Option<A>, list: unknown): ReadonlyArray<A> =>
  Array.isArray(list) ? list.flatMap((each) => Option.toArray(read(each))) : []
