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
  /**
   * How many may come right after one another in a direct chat; more than those of a minute are earned back at that pace.
   * Default: those of a minute.
   */
  readonly directBurst?: number
  /** In one group, a minute. Default: no limit. */
  readonly groupPerMinute?: number
  /** Edits of all chats together, a minute. Default: no limit of their own. */
  readonly editsPerMinute?: number
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

/** For a channel that answers each sender: the fate of a message, reported before `confirm`. */
export interface Reception {
  /** It is in the journal. */
  readonly stored: () => void
  /**
   * `known`: the message was stored before. `full`: too many wait in its conversation. `paused`: an owner has paused the
   * bridge. Returns whether the sender is sent away: then nothing of the message is stored.
   */
  readonly declines: (reason: "known" | "full" | "paused") => boolean
}

/** An update, with the means to confirm it. */
export interface Heard {
  readonly incoming: Incoming
  /** `incoming` continues from here after a restart, once this is stored. Default: unchanged. */
  readonly mark?: string
  /** Called once it is in the journal, in order. */
  readonly confirm: Effect.Effect<void>
  /** Default: a message that is too many is dropped with a notice, and one during a pause waits. */
  readonly reception?: Reception
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
  /**
   * Programs write there, and no people: requests of agents that people would be asked about are denied, agents have no
   * tools for the chat, and a pause of any account holds here, too. Default: false.
   */
  readonly unattended?: boolean
  /** Formats and cuts; pure. Buttons go below the last piece. */
  readonly render: (payload: ReplyPayload) => ReadonlyArray<Piece>
  /** One attempt; repeats it only if the channel takes the key. */
  readonly send: (to: Conversation, piece: Piece, key: string) => Effect.Effect<MessageRef, SendError>
  /**
   * Looks for a piece behind the message with the id `after`; undefined if it certainly is absent. Called 30 s after the
   * attempt. `Unknown` means that it cannot be looked up now: it is called a few times more, then people are asked. A channel
   * that cannot look at all but gives a `Receipt` fails with `Unknown` each time, so that the receipt has those seconds.
   * Default: people are asked at once.
   */
  readonly find?: (
    to: Conversation,
    piece: Piece,
    key: string,
    after: string | undefined
  ) => Effect.Effect<MessageRef | undefined, SendError>
  /** Equal content is a success. Default: messages cannot be changed. */
  readonly edit?: (ref: MessageRef, piece: Piece) => Effect.Effect<void, SendError>
  /** A missing message is a success. Default: messages cannot be removed. */
  readonly remove?: (ref: MessageRef) => Effect.Effect<void, SendError>
  /** Confirms a press once, within 1 s; `text` is for the presser, if that is possible. Never fails for people. */
  readonly acknowledge: (press: Pressed, text?: string) => Effect.Effect<void>
  /** Checks of `reins doctor`. */
  readonly check: Effect.Effect<ReadonlyArray<Finding>>
  /** Writes a file of a message to a path. Default: files cannot be taken. */
  readonly download?: (fileId: string, path: string) => Effect.Effect<void, SendError>
  /** Shows a typing indicator. Default: none. */
  readonly working?: (to: Conversation, messageId?: string) => Effect.Effect<void>
  /**
   * Shows the draft of a text in a direct chat, in place of the one with the same id: a number from 1 to 2^31 - 1. The channel
   * removes it by itself, 20 to 30 s later or when a message of the account follows, and shows none of its buttons; it may
   * have a stop button of its own, which is heard as `StopAsked`. Counts as an edit. Default: no drafts.
   */
  readonly draft?: (to: Conversation, draftId: number, piece: Piece) => Effect.Effect<void, SendError>
  /**
   * Called with updates of messages and turns, for a channel that draws them itself: it gets no progress messages, and
   * requests are answered by presses with a `choice`. Must not wait for people. Default: the channel draws messages.
   */
  readonly watch?: (sight: Sight) => Effect.Effect<void>
}
