/** The used fields of what Meta posts: signed by it, but written by strangers. */
import { Schema } from "effect"
import { WireError } from "../calls/failure.ts"

const { optionalKey, NullOr, String: Text, Boolean: Flag, Unknown } = Schema
const maybe = <S extends Schema.Top>(schema: S) => optionalKey(NullOr(schema))

const Contact = Schema.Struct({
  wa_id: maybe(Text),
  user_id: maybe(Text),
  profile: maybe(Schema.Struct({ name: maybe(Text), username: maybe(Text) }))
})
export type WireContact = typeof Contact.Type

const Media = Schema.Struct({
  id: Text,
  mime_type: maybe(Text),
  filename: maybe(Text),
  caption: maybe(Text),
  voice: maybe(Flag)
})
export type WireMedia = typeof Media.Type

const Reply = Schema.Struct({ id: Text, title: maybe(Text) })

const Message = Schema.Struct({
  id: Text,
  from: maybe(Text),
  from_user_id: maybe(Text),
  group_id: maybe(Text),
  timestamp: Text,
  type: Text,
  context: maybe(
    Schema.Struct({
      id: maybe(Text),
      from: maybe(Text),
      forwarded: maybe(Flag),
      frequently_forwarded: maybe(Flag)
    })
  ),
  text: maybe(Schema.Struct({ body: Text })),
  button: maybe(Schema.Struct({ text: Text })),
  interactive: maybe(Schema.Struct({ type: Text, button_reply: maybe(Reply), list_reply: maybe(Reply) })),
  image: maybe(Media),
  audio: maybe(Media),
  video: maybe(Media),
  document: maybe(Media),
  system: maybe(
    Schema.Struct({
      type: maybe(Text),
      wa_id: maybe(Text),
      user_id: maybe(Text),
      previous_user_id: maybe(Text)
    })
  )
})
export type WireMessage = typeof Message.Type

const Status = Schema.Struct({
  id: Text,
  status: Text,
  biz_opaque_callback_data: maybe(Text),
  errors: maybe(Schema.Array(WireError))
})
export type WireStatus = typeof Status.Type

/** Messages and statuses are read one by one, so that an unreadable one does not take the others with it. */
const Change = Schema.Struct({
  field: Schema.Literal("messages"),
  value: Schema.Struct({
    metadata: Schema.Struct({ phone_number_id: Text, display_phone_number: maybe(Text) }),
    contacts: maybe(Schema.Array(Unknown)),
    messages: maybe(Schema.Array(Unknown)),
    statuses: maybe(Schema.Array(Unknown))
  })
})

export const readPost = Schema.decodeUnknownOption(
  Schema.Struct({
    object: Schema.Literal("whatsapp_business_account"),
    entry: Schema.Array(Schema.Struct({ changes: Schema.Array(Unknown) }))
  })
)
export const readChange = Schema.decodeUnknownOption(Change)
export const readContact = Schema.decodeUnknownOption(Contact)
export const readMessage = Schema.decodeUnknownOption(Message)
export const readStatus = Schema.decodeUnknownOption(Status)
