/** Reasons why an account of a channel cannot be served, or no longer is. */

import { Schema } from "effect"
import { acrossCopies } from "../contract/acrossCopies.ts"
import type { StoreError } from "../contract/StoreError.ts"
import type { AccessError } from "./access/AccessOptions.ts"
import type { ChannelError } from "./messages/SendError.ts"

/**
 * The channel has ended, the store failed, another bridge has or took over the account, no person may write, or a list
 * of people is invalid.
 */
export type ServeError = ChannelError | StoreError | ChannelTaken | ChannelLost | AccessError

/** Another server has the account; two would answer every message twice. */
export class ChannelTaken extends Schema.TaggedError<ChannelTaken>()("ChannelTaken", {
  channel: Schema.String,
  accountId: Schema.String,
  /** The machine of the server that took it last. */
  host: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const where = this.host === undefined ? "" : `, on ${this.host}`
    return `Another bridge serves ${this.channel} (${this.accountId}) on this store${where}: end it first`
  }
}

/** Another server has taken the account over: this one ends, and changes nothing more. */
export class ChannelLost extends Schema.TaggedError<ChannelLost>()("ChannelLost", {
  channel: Schema.String,
  accountId: Schema.String
}) {
  override get message(): string {
    return `Another bridge has taken over ${this.channel} (${this.accountId}): this one ends`
  }
}

for (const type of [ChannelTaken, ChannelLost]) acrossCopies(type, type.identifier)
