/** The words of conversations: what a caller names, the session of a CLI behind it, its turns and its transcript. */

import type { AgentEvent } from "./AgentEvent.ts"
import type { DurationInput } from "./Input.ts"
import type { SessionHolder } from "./SessionHolder.ts"

/**
 * What a caller calls a conversation: a text, or several that are compared one by one, such as `["telegram", chatId]`. A
 * text is the same as a list of it alone. At most 16 parts, 1 to 256 characters each, without control characters.
 */
export type ConversationKey = string | ReadonlyArray<string>

/** What a turn does while another process, run or live session uses its conversation or session. */
export type WhenBusy = "wait" | "fail" | "fork"

/** What happens to a turn whose host died after its CLI was started. */
export type OnInterrupted = "fail" | "continue" | "again"

/** How a turn takes part in a conversation. */
export interface ConversationParams {
  /** Goes on with this conversation, or begins it. Needs a store. */
  readonly conversation?: ConversationKey | undefined
  /**
   * The caller's own id of the turn, 1 to 128 characters. The same id again gives the stored result, and runs nothing; with
   * another prompt it fails as `turn_mismatch`. Default: a new one.
   */
  readonly turnId?: string | undefined
  /** Begins a new session of the CLI for the conversation, and leaves the present one as it is. Default: false. */
  readonly fresh?: boolean | undefined
  /** The CLI no longer has the session: `fresh` begins a new one, with a `session_reset` notice. Default: `fresh`. */
  readonly onMissing?: "fail" | "fresh" | undefined
  /**
   * The host of this turn died before, after the CLI was started: `fail` ends as `turn_interrupted`, `continue` asks the
   * agent to go on, `again` gives it the prompt once more. Default: `fail`, since what a turn does may not be done twice.
   */
  readonly onInterrupted?: OnInterrupted | undefined
}

/** Where a session came from: begun by Reins, adopted from the CLI's own, or only known to the CLI. */
export type SessionOrigin = "reins" | "adopted" | "outside"

/** `dead`: the CLI no longer has it. `quarantined`: it failed in a way that a resume would repeat. */
export type SessionState = "live" | "dead" | "quarantined" | "archived"

/** A session of a CLI. */
export interface SessionInfo {
  /** The id in the store; undefined for one that is only known to the CLI. */
  readonly id?: string
  /** The id of the CLI, such as `claude`. */
  readonly cli: string
  /** The CLI's own id of the session. */
  readonly sessionId: string
  /** The conversation that it belongs to, if there is one. */
  readonly conversation?: ReadonlyArray<string>
  /** Its name, else the beginning of its first prompt; without control characters, at most 200 characters. */
  readonly title?: string
  /** Absolute path of its working directory. */
  readonly directory?: string
  /** The model that answered last. */
  readonly model?: string
  /** Where it came from. */
  readonly origin: SessionOrigin
  /** Whether it can be gone on with. */
  readonly state: SessionState
  /** When it began, in ms since 1970. */
  readonly createdAt?: number
  /** When it was last used, in ms since 1970. */
  readonly usedAt: number
  /** Its completed turns, as far as they are known. */
  readonly turns?: number
  /**
   * In US dollars, as far as it is known: of a session in the store what the ledger has of it, of one of a CLI's own what
   * the CLI says, which for a fork is that of its parent, too.
   */
  readonly costUsd?: number
  /** True: there were runs whose cost is unknown, so that it has cost more. */
  readonly isCostPartial?: boolean
  /** The session from which it was forked: its id in the store. */
  readonly parent?: string
  /** Who uses it now. */
  readonly holder?: SessionHolder
  /** The name of the home where its files lie. */
  readonly home?: string
}

/** Which sessions are listed. */
export interface SessionFilter {
  /** Of this CLI alone. */
  readonly cli?: string | undefined
  /** Whose working directory is this one. */
  readonly directory?: string | undefined
  /** Of this conversation alone, the sessions that it had before included. */
  readonly conversation?: ConversationKey | undefined
  /** Adds those that were begun in the CLIs themselves: the newest 200 of each CLI, read-only. Default: false. */
  readonly outside?: boolean | undefined
  /** Adds archived and dead ones. Default: false. */
  readonly all?: boolean | undefined
  /** At most so many, the last used first. Default: no limit. */
  readonly limit?: number | undefined
}

/** Names a session: its id in the store, a CLI's own id, a conversation, or the beginning of an id that fits only one. */
export type SessionRef =
  | string
  | { readonly cli: string; readonly sessionId: string }
  | { readonly conversation: ConversationKey; readonly cli?: string }

/** How a session of a CLI becomes one of ours. */
export interface AdoptOptions {
  /** Goes on with it from now on. Default: none. */
  readonly conversation?: ConversationKey | undefined
}

/** How a session is forked. */
export interface ForkOptions {
  /** Goes on in the fork, from its next turn on. */
  readonly conversation: ConversationKey
}

/** `markdown`: for people; answers are cut at 2,000 characters. `json`: one object a line, whole. */
export type ExportFormat = "markdown" | "json"

/** How a transcript is read. */
export interface TranscriptOptions {
  /** Behind this position; 0: from the beginning. Default: 0. */
  readonly after?: number | undefined
  /** Waits for further events until it is left. Default: true. */
  readonly follow?: boolean | undefined
}

/** What a caller asked, as a part of a transcript: the events of a run have answers alone. */
export interface PromptEvent {
  readonly type: "prompt"
  /** The prompt, without secrets. */
  readonly text: string
}

/** An event of a session's transcript. */
export interface TranscriptEvent {
  /** In the session, from 1. */
  readonly position: number
  /** When it arrived, in ms since 1970. */
  readonly at: number
  /** The run it belongs to. */
  readonly runId: string
  /** As it was given, without secrets; text and thinking that arrived together are one event. */
  readonly event: AgentEvent | PromptEvent
}

/** A prompt in a session, as its CLI keeps it. */
export interface StoredPrompt {
  /** When it was asked, in ms since 1970, where the CLI keeps it. */
  readonly at?: number | undefined
  /** Its text; attachments are not in it. */
  readonly prompt: string
}

/** An event of a session, made of what its CLI keeps. */
export interface StoredEvent {
  /** When it happened, in ms since 1970, where the CLI keeps it. */
  readonly at?: number | undefined
  /** As a run would have given it, as far as the CLI keeps it; there is no `done` among them. */
  readonly event: AgentEvent
}

/** A piece of a session, as its CLI keeps it in files of its own. */
export type StoredItem = StoredPrompt | StoredEvent

/** How a store keeps things. */
export interface StoreKeep {
  /** How long a conversation remembers its session after its last use. Default: 7 days. */
  readonly sessions?: DurationInput | undefined
  /** Of how many sessions the transcripts are kept, the last used first; 0: of none. Default: 20. */
  readonly transcripts?: number | undefined
  /** How long the texts of ended turns are kept. Default: 7 days. */
  readonly turns?: DurationInput | undefined
}
