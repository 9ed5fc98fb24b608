/** A message of a person, in the form that all channels share. Untrusted until access was checked. */
import { Schema } from "effect"
import { Conversation } from "./Conversation.ts"

/** The person who wrote, pressed or stopped. */
export const Sender = Schema.Struct({
  /**
   * The stable id of the channel; user names change hands. If a chat speaks, such as an anonymous admin or a channel
   * post, it is the id of that chat, which is not a person and is refused.
   */
  id: Schema.String,
  /** Further ids by which a list may name the person, such as a role. Default: none. */
  ids: Schema.optionalKey(Schema.Array(Schema.String)),
  name: Schema.optionalKey(Schema.String),
  username: Schema.optionalKey(Schema.String),
  isBot: Schema.Boolean
}).annotate({ identifier: "Sender" })
export type Sender = typeof Sender.Type

/** A file that came with a message; it is downloaded where it is needed. */
export const MessageAttachment = Schema.Struct({
  kind: Schema.Literals(["image", "audio", "voice", "video", "document"]),
  /** The channel's own id, for `download`. */
  fileId: Schema.String,
  name: Schema.optionalKey(Schema.String),
  mimeType: Schema.optionalKey(Schema.String),
  bytes: Schema.optionalKey(Schema.Finite),
  caption: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "MessageAttachment" })
export type MessageAttachment = typeof MessageAttachment.Type

export const ChannelMessage = Schema.Struct({
  conversation: Conversation,
  /** The message's own id, never the delivery's: with channel and account the key that takes it in once. */
  updateId: Schema.String,
  /** Id that a reply may quote; absent for commands of the platform. */
  messageId: Schema.optionalKey(Schema.String),
  chat: Schema.Literals(["direct", "group"]),
  /** In ms since 1970, as the channel says. */
  sentAt: Schema.Finite,
  sender: Sender,
  /** All captions of an album, in order. */
  text: Schema.String,
  attachments: Schema.Array(MessageAttachment),
  replyTo: Schema.optionalKey(
    Schema.Struct({
      messageId: Schema.String,
      text: Schema.optionalKey(Schema.String),
      /** A message of this account. */
      ours: Schema.Boolean
    })
  ),
  /** Meant for the account: direct, a mention, a reply to one of its messages, or a command to it. */
  addressed: Schema.Boolean,
  /** Messages with the same group belong together, such as an album. Default: none. */
  group: Schema.optionalKey(Schema.String),
  /** How the message affects a running turn, if the person says so. Default: that of the bridge. */
  whileBusy: Schema.optionalKey(Schema.Literals(["steer", "queue"])),
  /** Whether it was written elsewhere and forwarded. Default: false. */
  forwarded: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "ChannelMessage" })
export type ChannelMessage = typeof ChannelMessage.Type

// Messages that people did not write: their ids say what they are.

/** Prefix for the prompt of a schedule. */
export const schedulePrefix = "schedule/"
/** Prefix for the answer of a button of `ask_person`: its text is the agent's. */
export const answerPrefix = "answer/"

/** Prefix for a delivery of a program, such as a call of a webhook. Its text begins a turn of its own, and nothing else. */
export const deliveryPrefix = "delivery/"

export const isDelivery = ({ updateId }: Pick<ChannelMessage, "updateId">): boolean =>
  updateId.startsWith(deliveryPrefix)

export const isScheduled = ({ updateId }: Pick<ChannelMessage, "updateId">): boolean =>
  updateId.startsWith(schedulePrefix)

export const isPressed = ({ updateId }: Pick<ChannelMessage, "updateId">): boolean => updateId.startsWith(answerPrefix)
