/** What a chat has chosen, kept in the store. What is absent is as the bridge was given it. */
import { Option, Schema } from "effect"

/** The choices of a chat. */
export const ChatSettings = Schema.Struct({
  /** The name of an agent of the bridge. */
  agent: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  mode: Schema.optionalKey(Schema.Literals(["default", "plan", "accept-edits", "bypass"])),
  effort: Schema.optionalKey(Schema.String),
  /** The name of a directory of the bridge. */
  directory: Schema.optionalKey(Schema.String),
  planMode: Schema.optionalKey(Schema.Literals(["off", "auto", "on"]))
}).annotate({ identifier: "ChatSettings" })
export type ChatSettings = typeof ChatSettings.Type

const Text = Schema.fromJsonString(ChatSettings)
const decode = Schema.decodeUnknownOption(Text)

/** Of a text that this version cannot read: no choices. */
export const chatSettingsOf = (text: string | undefined): ChatSettings => Option.getOrElse(decode(text), () => ({}))

export const chatSettingsText = Schema.encodeSync(Text)
