/** A piece in Telegram's own shape, as it lies in the outbox. */
import { Schema } from "effect"
import { Button } from "../../../bridge/messages/ReplyPayload.ts"

const Entity = Schema.Union([
  Schema.Struct({
    type: Schema.Literals(["bold", "italic", "strikethrough", "code", "blockquote"]),
    offset: Schema.Finite,
    length: Schema.Finite
  }),
  Schema.Struct({
    type: Schema.Literal("pre"),
    offset: Schema.Finite,
    length: Schema.Finite,
    language: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({
    type: Schema.Literal("text_link"),
    offset: Schema.Finite,
    length: Schema.Finite,
    url: Schema.String
  })
])
export type BodyEntity = typeof Entity.Type

export const Body = Schema.Struct({
  /** Empty, where a file is sent. */
  text: Schema.String,
  entities: Schema.optionalKey(Schema.Array(Entity)),
  buttons: Schema.optionalKey(Schema.Array(Schema.Array(Button))),
  replyToId: Schema.optionalKey(Schema.String),
  silent: Schema.optionalKey(Schema.Literal(true)),
  /** `photo`: shown in the chat, where Telegram takes it as one. */
  file: Schema.optionalKey(Schema.Literals(["photo", "document"]))
})
export type Body = typeof Body.Type

export const isBody = Schema.is(Body)
