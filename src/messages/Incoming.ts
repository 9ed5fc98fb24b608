/** What a channel hears. */
import { Schema } from "effect"
import { ChannelMessage, Sender } from "./ChannelMessage.ts"
import { Conversation } from "./Conversation.ts"

/** The channel's later word on a message of ours. */
export const Receipt = Schema.TaggedStruct("Receipt", {
  updateId: Schema.String,
  /** The key with which it was sent, where the channel takes one. */
  key: Schema.optionalKey(Schema.String),
  messageId: Schema.optionalKey(Schema.String),
  /** `closed`: the person must write first. */
  state: Schema.Literals(["sent", "failed", "closed"]),
  reason: Schema.optionalKey(Schema.String)
})
export type Receipt = typeof Receipt.Type

const Message = Schema.TaggedStruct("Message", { message: ChannelMessage })

const from = {
  conversation: Conversation,
  updateId: Schema.String,
  chat: Schema.Literals(["direct", "group"]),
  sender: Sender
}

/** Without a text it was withdrawn. */
const Edited = Schema.TaggedStruct("Edited", {
  ...from,
  messageId: Schema.String,
  text: Schema.optionalKey(Schema.String)
})

const Pressed = Schema.TaggedStruct("Pressed", {
  ...from,
  /** The message with the button. */
  messageId: Schema.optionalKey(Schema.String),
  /** Of the button: anybody can send anything. */
  data: Schema.String,
  /** What the channel needs to acknowledge it. */
  press: Schema.Json
})
export type Pressed = typeof Pressed.Type

/** The platform's own stop button. */
const StopAsked = Schema.TaggedStruct("StopAsked", from)

/** The account is no longer in the chat. */
const Left = Schema.TaggedStruct("Left", { conversation: Conversation, updateId: Schema.String })

/** The chat has another id from now on. */
const Moved = Schema.TaggedStruct("Moved", {
  conversation: Conversation,
  updateId: Schema.String,
  chatId: Schema.String
})

export const Incoming = Schema.Union([Message, Edited, Pressed, StopAsked, Left, Moved, Receipt])
export type Incoming = typeof Incoming.Type
