/** Why an account of a channel is no longer served, or cannot be. */
import type { StoreError } from "../contract/StoreError.ts"
import type { AccessError } from "./access/AccessOptions.ts"
import type { ChannelLost, ChannelTaken } from "./journal/JournalError.ts"
import type { ChannelError } from "./messages/SendError.ts"

/**
 * The channel is over, the store failed, another bridge has the account or has taken it over, or nobody may speak, or a
 * list of people is wrong.
 */
export type ServeError = ChannelError | StoreError | ChannelTaken | ChannelLost | AccessError
