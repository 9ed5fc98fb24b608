/** Who may speak on an account of a channel. Nobody else is answered, and nothing of others is kept. */

/** A group in which the account speaks; a list of its own stands in place of the list of the same name. */
import { Schema } from "effect"
import { acrossCopies } from "../../contract/acrossCopies.ts"

/** What a person may do: each role may do what those before it may. */

/** From the least on. */
export const roles = ["user", "approver", "admin", "owner"] as const

/** `user`: talks to the agent. `approver`: also answers its requests. `admin`: also chooses agent, model, mode, directory. */
export type Role = (typeof roles)[number]

export const isRole = (word: string): word is Role => roles.some((role) => role === word)

export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed)

/** Nothing was started: `option` names what is wrong, `help` what to do about it. */
export class AccessError extends Schema.TaggedError<AccessError>()("AccessError", {
  channel: Schema.String,
  accountId: Schema.String,
  /** Such as `groups["-100"].users[2]`. */
  option: Schema.String,
  problem: Schema.String,
  /** A sentence for people. */
  help: Schema.String
}) {
  override get message(): string {
    return `${this.channel} (${this.accountId}): ${this.option} ${this.problem}. ${this.help}`
  }
}
acrossCopies(AccessError, "AccessError")

export interface GroupAccess {
  /** Default: those who may speak everywhere. */
  readonly users?: ReadonlyArray<string> | undefined
  /** Default: those who approve everywhere. */
  readonly approvers?: ReadonlyArray<string> | undefined
  /** Only messages that are meant for the account are taken: mentions, replies to it, commands. Default: true. */
  readonly mention?: boolean | undefined
}

/**
 * People by the stable ids of the channel, never by user names: those change hands. Each list may do what those below it
 * may: owners, admins, approvers, users.
 */
export interface AccessOptions {
  readonly owners?: ReadonlyArray<string> | undefined
  readonly admins?: ReadonlyArray<string> | undefined
  readonly approvers?: ReadonlyArray<string> | undefined
  readonly users?: ReadonlyArray<string> | undefined
  /** By the ids of their chats. In others nobody is answered. Default: none. */
  readonly groups?: { readonly [chatId: string]: GroupAccess } | undefined
  /** Messages of one person that are taken in a minute. Default: 20. */
  readonly perMinute?: number | undefined
}

/** An account of a channel. */
export interface ChannelAccount {
  readonly channel: string
  readonly accountId: string
}

/** Of every account alike, or of each its own. */
export type AccessOf = AccessOptions | ((account: ChannelAccount) => AccessOptions)
