/** Reasons why an account of a channel cannot be served, or no longer is. */
import type { StoreError } from "../contract/StoreError.ts"
import type { AccessError } from "./access/AccessOptions.ts"
import type { ChannelLost, ChannelTaken } from "./journal/JournalError.ts"
import type { ChannelError } from "./messages/SendError.ts"

/**
 * The channel has ended, the store failed, another bridge has or took over the account, no person may write, or a list
 * of people is invalid.
 */
export type ServeError = ChannelError | StoreError | ChannelTaken | ChannelLost | AccessError
