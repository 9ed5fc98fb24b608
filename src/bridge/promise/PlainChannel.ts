/** A channel with promises and async iterables, for `createBridge`. What it leaves out it lacks, or has as most do. */

import type { Awaitable } from "../../contract/Input.ts"
import type { ChannelLimits, Finding } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Incoming, Pressed } from "../messages/Incoming.ts"
import type { MessageRef, Piece, ReplyPayload } from "../messages/ReplyPayload.ts"

/** Something that was heard. */
export interface PlainHeard {
  readonly incoming: Incoming
  /** From which `incoming` goes on after a restart, once this was taken in. */
  readonly mark?: string
  /** Called once it is in the journal, in order. */
  readonly confirm?: () => Awaitable<void>
}

/** How a call may be ended before its time. */
export interface CallOptions {
  readonly signal: AbortSignal
}

/** A way to people. A function that fails with a `SendError` says what became of it; any other failure is `Unknown`. */
export interface PlainChannel {
  /** Such as `telegram`. */
  readonly id: string
  /** Such as a bot. Default: `default`. */
  readonly accountId?: string
  /** Default: texts of 4,000 characters, no buttons, no files, no limit of pace. */
  readonly limits?: Partial<ChannelLimits>
  /** Checks an entry of a list of people. Default: any id without white space. */
  readonly isPerson?: (id: string) => boolean
  /** Incoming updates after the mark. Ends when the channel has ended; `signal` ends it. */
  readonly incoming: (mark: string | undefined, options: CallOptions) => AsyncIterable<PlainHeard>
  /** Formats and cuts; pure. Default: Markdown, cut at `limits.text`; the body has the text, and the rows of buttons. */
  readonly render?: (payload: ReplyPayload) => ReadonlyArray<Piece>
  /** One attempt. Gives the id of the message. */
  readonly send: (to: Conversation, piece: Piece, key: string, options: CallOptions) => Awaitable<string>
  /** The id of the message with this piece, if it is there behind the message `after`; undefined: surely not. */
  readonly find?: (
    to: Conversation,
    piece: Piece,
    key: string,
    after: string | undefined,
    options: CallOptions
  ) => Awaitable<string | undefined>
  readonly edit?: (message: MessageRef, piece: Piece, options: CallOptions) => Awaitable<void>
  readonly remove?: (message: MessageRef, options: CallOptions) => Awaitable<void>
  /** Once a press, within 1 s. */
  readonly acknowledge?: (press: Pressed, text: string | undefined) => Awaitable<void>
  readonly check?: () => Awaitable<ReadonlyArray<Finding>>
  /** Writes a file of a message to a path. */
  readonly download?: (fileId: string, path: string, options: CallOptions) => Awaitable<void>
  /** Shows a typing indicator. */
  readonly working?: (to: Conversation, messageId: string | undefined) => Awaitable<void>
}
