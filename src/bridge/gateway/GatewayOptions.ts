/** Options for the tools that agents of served channels get. */
import type { Conversation } from "../messages/Conversation.ts"

/**
 * `none`: no tools. `reply`: messages, files and questions to the chat that the agent is in. `messaging`: also to listed
 * targets. `full`: also prompts for later, for owners alone.
 */
export type GatewayProfile = "none" | "reply" | "messaging" | "full"

/** A chat that agents may write to beside their own. */
export interface GatewayTargetOptions {
  /** A conversation of an account that the same bridge serves. */
  readonly conversation: Conversation
  /** For the agent. Default: none. */
  readonly description?: string | undefined
}

export interface GatewayOptions {
  /** Default: `reply`. */
  readonly profile?: GatewayProfile | undefined
  /** By the names by which agents call them. Default: none. */
  readonly targets?: { readonly [name: string]: GatewayTargetOptions } | undefined
  /** Time zone of schedules that name none, such as `Europe/Berlin`. Default: that of the host. */
  readonly zone?: string | undefined
  /** Limit for each run of a schedule, in US dollars, unless the agent asks for less. Default: 1. */
  readonly scheduleUsd?: number | undefined
  /** Lists the tools under the names of other bridges, too: `message`, `sessions_send`, `<channel>_send`. Default: false. */
  readonly aliases?: boolean | undefined
}
