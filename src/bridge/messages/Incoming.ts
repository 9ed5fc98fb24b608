/** Updates of a channel. */
import { Schema } from "effect"
import { ChannelMessage, Sender } from "./ChannelMessage.ts"
import { Conversation } from "./Conversation.ts"

/** A later report of the channel about a message of ours. */
export const Receipt = Schema.TaggedStruct("Receipt", {
  updateId: Schema.String,
  /** The key with which it was sent, if the channel takes one. */
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

/** Without a text, the message was withdrawn. */
const Edited = Schema.TaggedStruct("Edited", {
  ...from,
  messageId: Schema.String,
  text: Schema.optionalKey(Schema.String)
})

/** An answer by value, from a channel that draws requests itself. */
export const PressChoice = Schema.Union([
  Schema.TaggedStruct("Decide", {
    decision: Schema.Literals(["allow", "deny", "outline"]),
    /** Remembered for this scope of the request, by its id. Default: not remembered. */
    scope: Schema.optionalKey(Schema.String),
    /** The message of a denial, to the agent. */
    message: Schema.optionalKey(Schema.String)
  }),
  /** For each question of a request the chosen labels, or a text. Without answers, the agent chooses. */
  Schema.TaggedStruct("Answer", {
    answers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String)))
  }),
  /** For the conversation; null for the bridge's default. */
  Schema.TaggedStruct("Choose", {
    agent: Schema.optionalKey(Schema.NullOr(Schema.String)),
    model: Schema.optionalKey(Schema.NullOr(Schema.String)),
    mode: Schema.optionalKey(Schema.NullOr(Schema.String)),
    effort: Schema.optionalKey(Schema.NullOr(Schema.String)),
    directory: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
])
export type PressChoice = typeof PressChoice.Type

const Pressed = Schema.TaggedStruct("Pressed", {
  ...from,
  /** The message with the button. */
  messageId: Schema.optionalKey(Schema.String),
  /** Payload of the button: anyone can send anything. With a `choice` it names the request: `r:<id>:v`. */
  data: Schema.String,
  /** Default: what `data` says. */
  choice: Schema.optionalKey(PressChoice),
  /** Data that the channel needs to acknowledge it. */
  press: Schema.Json
})
export type Pressed = typeof Pressed.Type

/** The platform's own stop button. */
const StopAsked = Schema.TaggedStruct("StopAsked", {
  ...from,
  /** The draft below which it was pressed: it stops only the turn of that draft. Default: the running turn. */
  draftId: Schema.optionalKey(Schema.Finite)
})

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
