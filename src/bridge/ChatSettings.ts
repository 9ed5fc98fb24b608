/** What a chat has chosen, kept in the store, on top of what the bridge was given for it; pure. */
import { Option, Schema } from "effect"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"

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

/** What one chat begins with; what people choose there, by a command, goes before it. */
export interface ChatDefaults {
  /** The name of an agent of the bridge. */
  readonly agent?: string | undefined
  /** Model of that agent, or of the bridge's own; no other one gets it. */
  readonly model?: string | undefined
  /** What the agent may do without asking. */
  readonly permissionMode?: PermissionMode | undefined
  /** How much that agent thinks. */
  readonly effort?: string | undefined
  /** The name of a directory of the bridge. */
  readonly directory?: string | undefined
  /** Whether the agent plans first; `auto`: its plan needs nobody. */
  readonly planMode?: "off" | "auto" | "on" | undefined
  /** How an agent at work is shown. Default: as everywhere. */
  readonly progress?: "edit" | "brief" | "off" | undefined
}

const present = <A extends object>(given: A): { [Name in keyof A]?: Exclude<A[Name], undefined> } =>
  // Of members that are undefined nothing is left.
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Name in keyof A]?: Exclude<A[Name], undefined>
  }

/** Another agent than the one that was meant has a model of its own. */
export const withDefaults = (defaults: ChatDefaults | undefined, chosen: ChatSettings): ChatSettings => {
  if (defaults === undefined) return chosen
  const { progress: _, permissionMode: mode, model, effort, ...others } = defaults
  const isOther = chosen.agent !== undefined && chosen.agent !== defaults.agent
  return { ...present({ ...others, mode, ...(isOther ? {} : { model, effort }) }), ...chosen }
}

/** Of a text that this version cannot read: no choices. */
export const chatSettingsOf = (text: string | undefined): ChatSettings => Option.getOrElse(decode(text), () => ({}))

export const chatSettingsText = Schema.encodeSync(Text)
