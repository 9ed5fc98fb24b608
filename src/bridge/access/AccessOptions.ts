/** The people who may write on an account of a channel. Others get no answer, and nothing of theirs is stored. */
import { Schema } from "effect"
import { acrossCopies } from "../../contract/acrossCopies.ts"

/** Roles in ascending order: each may do everything that the ones before it may. */
export const roles = ["user", "approver", "admin", "owner"] as const

/** `user`: talks to the agent. `approver`: also answers its requests. `admin`: also chooses agent, model, mode, directory. */
export type Role = (typeof roles)[number]

export const isRole = (word: string): word is Role => roles.some((role) => role === word)

export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed)

/** Invalid access options; nothing was started. */
export class AccessError extends Schema.TaggedError<AccessError>()("AccessError", {
  channel: Schema.String,
  accountId: Schema.String,
  /** The invalid option, such as `groups["-100"].users[2]`. */
  option: Schema.String,
  problem: Schema.String,
  /** The fix, as a sentence for people. */
  help: Schema.String
}) {
  override get message(): string {
    return `${this.channel} (${this.accountId}): ${this.option} ${this.problem}. ${this.help}`
  }
}
acrossCopies(AccessError, "AccessError")

/** The entry of `groups` for groups without an entry of their own. */
export const anyGroup = "*"

/** A group in which the account speaks. Its lists replace the lists of the same name. */
export interface GroupAccess {
  /** Default: the users of all chats. */
  readonly users?: ReadonlyArray<string> | undefined
  /** Default: the approvers of all chats. */
  readonly approvers?: ReadonlyArray<string> | undefined
  /** Take only messages to the account: mentions, replies to it, commands. Default: true. */
  readonly mention?: boolean | undefined
}

/**
 * People, by stable ids of the channel, never by user names: those change hands. Owners may do everything that admins may,
 * admins everything that approvers may, and approvers everything that users may.
 */
export interface AccessOptions {
  readonly owners?: ReadonlyArray<string> | undefined
  readonly admins?: ReadonlyArray<string> | undefined
  readonly approvers?: ReadonlyArray<string> | undefined
  readonly users?: ReadonlyArray<string> | undefined
  /**
   * Groups by chat id; `*` is any group the account was added to that has no entry of its own. Messages in other groups are
   * ignored. Default: none.
   */
  readonly groups?: { readonly [chatId: string]: GroupAccess } | undefined
  /** Messages accepted from one person per minute. Default: 20. */
  readonly perMinute?: number | undefined
}

export interface ChannelAccount {
  readonly channel: string
  readonly accountId: string
}

/** Access for all accounts, or a function that gives each account its own. */
export type AccessOf = AccessOptions | ((account: ChannelAccount) => AccessOptions)
