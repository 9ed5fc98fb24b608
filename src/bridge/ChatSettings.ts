/** Stored settings that people chose for a chat, on top of its defaults; pure. */
import { Option, Schema } from "effect"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"
import { present } from "../contract/present.ts"

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

/** Initial settings of a chat; people override them by commands. */
export interface ChatDefaults {
  /** The name of an agent of the bridge. */
  readonly agent?: string | undefined
  /** Model of that agent (default: of the bridge's agent); other agents do not get it. */
  readonly model?: string | undefined
  readonly permissionMode?: PermissionMode | undefined
  readonly effort?: string | undefined
  /** The name of a directory of the bridge. */
  readonly directory?: string | undefined
  /** Whether the agent plans first; `auto` approves its plan without asking. */
  readonly planMode?: "off" | "auto" | "on" | undefined
  /** How a working agent is shown. Default: the bridge's `progress`. */
  readonly progress?: "edit" | "draft" | "brief" | "off" | undefined
}

/** A default model or effort does not apply to another agent. */
export const withDefaults = (defaults: ChatDefaults | undefined, chosen: ChatSettings): ChatSettings => {
  if (defaults === undefined) return chosen
  const { progress: _, permissionMode: mode, model, effort, ...others } = defaults
  const isOther = chosen.agent !== undefined && chosen.agent !== defaults.agent
  return { ...present({ ...others, mode, ...(isOther ? {} : { model, effort }) }), ...chosen }
}

/** Unreadable text counts as no settings. */
export const chatSettingsOf = (text: string | undefined): ChatSettings => Option.getOrElse(decode(text), () => ({}))

export const chatSettingsText = Schema.encodeSync(Text)
