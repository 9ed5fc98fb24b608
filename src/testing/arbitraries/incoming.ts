/** Generates updates of channels, each on its own: few chats, people and ids, so that some coincide; any text. */
import { Arbitrary, Schema } from "effect"
import { ChannelMessage, MessageAttachment, Sender } from "../../bridge/messages/ChannelMessage.ts"
import { Conversation } from "../../bridge/messages/Conversation.ts"
import { Incoming } from "../../bridge/messages/Incoming.ts"
import { Count, Text, Word } from "./values.ts"

/** Few ids, so that they repeat. */
const Id = Schema.Literals(["1", "2", "3", "-100", "a b", "ü"])

const Chat = Schema.Struct({
  ...Conversation.fields,
  channel: Schema.Literals(["scripted", "telegram"]),
  accountId: Schema.Literals(["bot", "other"]),
  chatId: Id,
  threadId: Schema.optionalKey(Id)
})

const Person = Schema.Struct({
  ...Sender.fields,
  id: Id,
  ids: Schema.optionalKey(Schema.Array(Word)),
  name: Schema.optionalKey(Text)
})

/** Includes texts that look like a command, an answer or a press. */
const MessageText = Schema.Union([
  Schema.Literals(["/stop", "/stop@bot", "!new", "yes", "1", "", "\u0000", "\u202e"]),
  Text
])

const Attachment = Schema.Struct({
  ...MessageAttachment.fields,
  fileId: Word,
  name: Schema.optionalKey(Schema.Union([Schema.Literals(["../a.txt", "a/b.png", ".env"]), Text])),
  bytes: Schema.optionalKey(Count),
  caption: Schema.optionalKey(Text)
})

const Message = Schema.Struct({
  ...ChannelMessage.fields,
  conversation: Chat,
  updateId: Id,
  messageId: Schema.optionalKey(Id),
  sentAt: Count,
  sender: Person,
  text: MessageText,
  attachments: Schema.Array(Attachment).check(Schema.isMaxLength(3)),
  group: Schema.optionalKey(Id)
})

/** A message of a person, or of a bot, in one of a few chats. */
export const channelMessage: Arbitrary.Arbitrary<ChannelMessage> = Arbitrary.schema(Message)

/** Any update of a channel. */
export const incoming: Arbitrary.Arbitrary<Incoming> = Arbitrary.schema(
  Schema.Union([Schema.TaggedStruct("Message", { message: Message }), Incoming])
)
