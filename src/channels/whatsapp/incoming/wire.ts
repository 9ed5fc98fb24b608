/** The used fields of what Meta posts: signed by it, but written by strangers. */
import { Schema } from "effect"
import { WireError } from "../calls/failure.ts"

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Contact = Schema.Struct({
  wa_id: maybe(Schema.String),
  user_id: maybe(Schema.String),
  profile: maybe(Schema.Struct({ name: maybe(Schema.String), username: maybe(Schema.String) }))
})
export type WireContact = typeof Contact.Type

const Media = Schema.Struct({
  id: Schema.String,
  mime_type: maybe(Schema.String),
  filename: maybe(Schema.String),
  caption: maybe(Schema.String),
  voice: maybe(Schema.Boolean)
})
export type WireMedia = typeof Media.Type

const Reply = Schema.Struct({ id: Schema.String, title: maybe(Schema.String) })

const Message = Schema.Struct({
  id: Schema.String,
  from: maybe(Schema.String),
  from_user_id: maybe(Schema.String),
  group_id: maybe(Schema.String),
  timestamp: Schema.String,
  type: Schema.String,
  context: maybe(
    Schema.Struct({
      id: maybe(Schema.String),
      from: maybe(Schema.String),
      forwarded: maybe(Schema.Boolean),
      frequently_forwarded: maybe(Schema.Boolean)
    })
  ),
  text: maybe(Schema.Struct({ body: Schema.String })),
  button: maybe(Schema.Struct({ text: Schema.String })),
  interactive: maybe(Schema.Struct({ type: Schema.String, button_reply: maybe(Reply), list_reply: maybe(Reply) })),
  image: maybe(Media),
  audio: maybe(Media),
  video: maybe(Media),
  document: maybe(Media),
  system: maybe(
    Schema.Struct({
      type: maybe(Schema.String),
      wa_id: maybe(Schema.String),
      user_id: maybe(Schema.String),
      previous_user_id: maybe(Schema.String)
    })
  )
})
export type WireMessage = typeof Message.Type

const Status = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  biz_opaque_callback_data: maybe(Schema.String),
  errors: maybe(Schema.Array(WireError))
})
export type WireStatus = typeof Status.Type

/** Messages and statuses are read one by one, so that an unreadable one does not take the others with it. */
const Change = Schema.Struct({
  field: Schema.Literal("messages"),
  value: Schema.Struct({
    metadata: Schema.Struct({ phone_number_id: Schema.String, display_phone_number: maybe(Schema.String) }),
    contacts: maybe(Schema.Array(Schema.Unknown)),
    messages: maybe(Schema.Array(Schema.Unknown)),
    statuses: maybe(Schema.Array(Schema.Unknown))
  })
})

export const readPost = Schema.decodeUnknownOption(
  Schema.Struct({
    object: Schema.Literal("whatsapp_business_account"),
    entry: Schema.Array(Schema.Struct({ changes: Schema.Array(Schema.Unknown) }))
  })
)
export const readChange = Schema.decodeUnknownOption(Change)
export const readContact = Schema.decodeUnknownOption(Contact)
export const readMessage = Schema.decodeUnknownOption(Message)
export const readStatus = Schema.decodeUnknownOption(Status)
