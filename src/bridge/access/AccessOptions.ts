/** Who may speak on an account of a channel. Nobody else is answered, and nothing of others is kept. */

/** A group in which the account speaks; a list of its own stands in place of the list of the same name. */
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
