/** Payloads, and how a channel renders them. */
import { Schema } from "effect"
import { Conversation } from "./Conversation.ts"

/** A button below a message. */
export const Button = Schema.Struct({
  label: Schema.String,
  /** Returned when it is pressed; at most 40 bytes. */
  data: Schema.String
}).annotate({ identifier: "Button" })
export type Button = typeof Button.Type

/** One payload. The text is Markdown. */
export const ReplyPayload = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  /** Absolute paths of files. */
  mediaUrls: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Whether it reports a failure. */
  isError: Schema.optionalKey(Schema.Boolean),
  /** The id of the message that it answers. */
  replyToId: Schema.optionalKey(Schema.String),
  /** Rows of buttons. */
  buttons: Schema.optionalKey(Schema.Array(Schema.Array(Button))),
  /** Without a notification. */
  silent: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "ReplyPayload" })
export type ReplyPayload = typeof ReplyPayload.Type

/** A payload, or a part of it, as one message of a channel. */
export const Piece = Schema.Struct({
  /** Plain text, for comparisons, exports, and people whose message is missing. */
  text: Schema.String,
  /** In the channel's own form; stored and sent as it is. */
  body: Schema.Json,
  /** The absolute path of a file that is sent with it. */
  file: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Piece" })
export type Piece = typeof Piece.Type

/** A message that has arrived. */
export const MessageRef = Schema.Struct({ conversation: Conversation, messageId: Schema.String }).annotate({
  identifier: "MessageRef"
})
export type MessageRef = typeof MessageRef.Type
