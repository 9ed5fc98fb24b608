/** Why a channel did not, or may not have, done something: delivery depends on the difference. */
import { Schema } from "effect"
import { acrossCopies } from "../../contract/acrossCopies.ts"

export const TooFastScope = Schema.Literals(["chat", "edits", "allEdits", "account"])
export type TooFastScope = typeof TooFastScope.Type

/** Certainly not done; everything in `scope` waits for so long. */
const TooFast = Schema.TaggedStruct("TooFast", {
  retryAfterMs: Schema.Finite,
  /** `edits`: edits of this chat. `allEdits`: edits of the account. */
  scope: TooFastScope
})

/** Certainly not done: refused, no such host, no byte was written. */
const Unreachable = Schema.TaggedStruct("Unreachable", {})

/** It may have been done: a lost connection, a time-out, a status of 500 or more. */
const Unknown = Schema.TaggedStruct("Unknown", {})

/** Not done: the person must write first. */
const Closed = Schema.TaggedStruct("Closed", {})

/** Not done, and another attempt fails, too. */
const Refused = Schema.TaggedStruct("Refused", { description: Schema.String })

/** Not done: its target no longer exists. */
const Gone = Schema.TaggedStruct("Gone", { what: Schema.Literals(["chat", "thread", "message", "user"]) })

export const SendReason = Schema.Union([TooFast, Unreachable, Unknown, Closed, Refused, Gone])
export type SendReason = typeof SendReason.Type

const words: { readonly [Tag in SendReason["_tag"]]: (reason: Extract<SendReason, { _tag: Tag }>) => string } = {
  TooFast: ({ retryAfterMs }) => `The channel takes no more for ${Math.ceil(retryAfterMs / 1000)} s`,
  Unreachable: () => "The channel cannot be reached",
  Unknown: () => "The channel did not answer: it may have been done",
  Closed: () => "The person must write first",
  Refused: ({ description }) => `The channel refuses it: ${description}`,
  Gone: ({ what }) => `The ${what} is no longer there`
}

/** The failure of one attempt. */
export class SendError extends Schema.TaggedError<SendError>()("SendError", { reason: SendReason }) {
  override get message(): string {
    const { reason } = this
    // The tag names the function of its own member.
    return (words[reason._tag] as (reason: SendReason) => string)(reason)
  }
}
acrossCopies(SendError, "SendError")

/** The channel has ended, and another attempt fails, too: a token was refused, an account no longer exists. */
export class ChannelError extends Schema.TaggedError<ChannelError>()("ChannelError", {
  /** The id of the channel. */
  channel: Schema.String,
  accountId: Schema.String,
  /** A sentence for people; nothing secret. */
  problem: Schema.String,
  /** The fix, for people. */
  help: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `The channel ${this.channel} (${this.accountId}) has ended: ${this.problem}`
  }
}
acrossCopies(ChannelError, "ChannelError")
