/** A channel with promises and async iterables, for `createBridge`. Omitted members are defaults, or missing abilities. */
import type { Awaitable } from "../../contract/Input.ts"
import type { ChannelLimits, Finding } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Incoming, Pressed } from "../messages/Incoming.ts"
import type { MessageRef, Piece, ReplyPayload } from "../messages/ReplyPayload.ts"

/** An update, with the means to confirm it. */
export interface PlainHeard {
  readonly incoming: Incoming
  /** `incoming` continues from here after a restart, once this is stored. */
  readonly mark?: string
  /** Called once it is in the journal, in order. */
  readonly confirm?: () => Awaitable<void>
}

/** Ends a call early. */
export interface CallOptions {
  readonly signal: AbortSignal
}

/** A way to people. A `SendError` says what became of a call; any other failure is `Unknown`. */
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
  /** One attempt. Returns the id of the message. */
  readonly send: (to: Conversation, piece: Piece, key: string, options: CallOptions) => Awaitable<string>
  /** The id of the message with this piece, behind the message `after`; undefined if it certainly is not there. */
  readonly find?: (
    to: Conversation,
    piece: Piece,
    key: string,
    after: string | undefined,
    options: CallOptions
  ) => Awaitable<string | undefined>
  readonly edit?: (message: MessageRef, piece: Piece, options: CallOptions) => Awaitable<void>
  readonly remove?: (message: MessageRef, options: CallOptions) => Awaitable<void>
  /** Confirms a press once, within 1 s. */
  readonly acknowledge?: (press: Pressed, text: string | undefined) => Awaitable<void>
  readonly check?: () => Awaitable<ReadonlyArray<Finding>>
  /** Writes a file of a message to a path. */
  readonly download?: (fileId: string, path: string, options: CallOptions) => Awaitable<void>
  /** Shows a typing indicator. */
  readonly working?: (to: Conversation, messageId: string | undefined) => Awaitable<void>
  /** Shows the draft of a text in a direct chat, which the channel removes by itself, as `Channel.draft` does. */
  readonly draft?: (to: Conversation, draftId: number, piece: Piece, options: CallOptions) => Awaitable<void>
}
