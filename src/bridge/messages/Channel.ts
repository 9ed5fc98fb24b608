/**
 * A way to people, as a value: what it hears, how it writes, and what it lacks. The bridge does the rest: order, pace,
 * durability, approvals, progress. Its functions make one attempt each; repeating is the bridge's.
 */
import type { Effect, Stream } from "effect"
import type { Conversation } from "./Conversation.ts"
import type { Incoming, Pressed } from "./Incoming.ts"
import type { MessageRef, Piece, ReplyPayload } from "./ReplyPayload.ts"
import type { ChannelError, SendError } from "./SendError.ts"
import type { Sight } from "./Sight.ts"

/** How often a channel may be written to. Sends and edits count alike. */
export interface Pace {
  /** In all, a second. Default: no limit. */
  readonly allPerSecond?: number
  /** In one direct chat, a minute. Default: no limit. */
  readonly directPerMinute?: number
  /** How many of them may come right after one another in a direct chat. Default: those of a minute. */
  readonly directBurst?: number
  /** In one group, a minute. Default: no limit. */
  readonly groupPerMinute?: number
}

export interface ChannelLimits {
  /** Length of one message, in UTF-16 units of the written text. */
  readonly text: number
  /** `most`: below one message, 0 without buttons. `data`: in bytes. */
  readonly buttons: { readonly most: number; readonly label: number; readonly data: number }
  readonly pace: Pace
  readonly uploadBytes: number
  readonly downloadBytes: number
}

/** Something that was heard. */
export interface Heard {
  readonly incoming: Incoming
  /** From which `incoming` goes on after a restart, once this was taken in. Default: unchanged. */
  readonly mark?: string
  /** Called once it is in the journal, in order. */
  readonly confirm: Effect.Effect<void>
}

/** A finding of `check`. */
export interface Finding {
  readonly level: "ok" | "warning" | "failure"
  /** A sentence for people. */
  readonly message: string
  /** The fix. */
  readonly help?: string
}

export interface Channel {
  /** Such as `telegram`. */
  readonly id: string
  /** Such as a bot. */
  readonly accountId: string
  readonly limits: ChannelLimits
  /** Checks an entry of a list of people; anything else is refused when the list is read. */
  readonly isPerson: (id: string) => boolean
  /** Incoming updates after the mark. Ends or fails only when the channel has ended; reconnects by itself. */
  readonly incoming: (mark: string | undefined) => Stream.Stream<Heard, ChannelError>
  /** Formats and cuts; pure. Buttons go below the last piece. */
  readonly render: (payload: ReplyPayload) => ReadonlyArray<Piece>
  /** One attempt. May repeat within itself only where the channel takes the key. */
  readonly send: (to: Conversation, piece: Piece, key: string) => Effect.Effect<MessageRef, SendError>
  /** Whether a piece is there, behind the message with the id `after`; undefined: surely not. Default: it cannot be known. */
  readonly find?: (
    to: Conversation,
    piece: Piece,
    key: string,
    after: string | undefined
  ) => Effect.Effect<MessageRef | undefined, SendError>
  /** The same content as before is a success. Default: messages cannot be changed. */
  readonly edit?: (ref: MessageRef, piece: Piece) => Effect.Effect<void, SendError>
  /** One that is not there is a success. Default: messages cannot be removed. */
  readonly remove?: (ref: MessageRef) => Effect.Effect<void, SendError>
  /** Once a press, within 1 s; `text` for the presser's eyes, where that is possible. Never fails for people. */
  readonly acknowledge: (press: Pressed, text?: string) => Effect.Effect<void>
  /** Checks of `reins doctor`. */
  readonly check: Effect.Effect<ReadonlyArray<Finding>>
  /** Writes a file of a message to a path. Default: files cannot be taken. */
  readonly download?: (fileId: string, path: string) => Effect.Effect<void, SendError>
  /** Shows a typing indicator. Default: none. */
  readonly working?: (to: Conversation, messageId?: string) => Effect.Effect<void>
  /**
   * Told what messages and turns come to, for a channel that draws them itself: it gets no messages of progress, and none
   * for requests, which are answered by presses with a `choice`. Must not wait for people. Default: it draws messages.
   */
  readonly watch?: (sight: Sight) => Effect.Effect<void>
}
