/** Conversations: their keys, the sessions of the CLIs behind them, their turns and transcripts. */
import { Schema } from "effect"
import type { AgentEvent } from "./AgentEvent.ts"
import type { DurationInput } from "./Input.ts"
import type { SessionHolder } from "./NotAdmitted.ts"
import { schemaOf } from "./schemaOf.ts"
import type { WorktreeOptions } from "./WorktreeOptions.ts"

/**
 * A caller's name of a conversation: a text, or 1 to 16 of them, such as `["telegram", chatId]`; a list of one text is
 * that text. Each has 1 to 256 characters, without control characters.
 */
export type ConversationKey = string | ReadonlyArray<string>

/** How a turn starts while another process, run or live session uses its conversation or session. */
export type WhenBusy = "wait" | "fail" | "fork"

export const WhenBusy = schemaOf<WhenBusy>()(Schema.Literals(["wait", "fail", "fork"]))

/** How a turn continues whose host died after its CLI was started. */
export type OnInterrupted = "fail" | "continue" | "again"

/** How a turn takes part in a conversation. */
export interface ConversationParams {
  /** Continues this conversation, or begins it. Needs a store. */
  readonly conversation?: ConversationKey | undefined
  /**
   * The caller's own id of the turn, 1 to 128 characters. The same id again gives the stored result, and runs nothing;
   * with another prompt it fails as `turn_mismatch`. Default: a new one.
   */
  readonly turnId?: string | undefined
  /** Begins a new session of the CLI for the conversation, and leaves the current one unchanged. Default: false. */
  readonly fresh?: boolean | undefined
  /** The CLI no longer has the session: `fresh` begins a new one, with a `session_reset` notice. Default: `fresh`. */
  readonly onMissing?: "fail" | "fresh" | undefined
  /**
   * The host of this turn died before, after the CLI was started: `fail` ends as `turn_interrupted`, `continue` asks the
   * agent to continue, `again` gives it the prompt once more. Default: `fail`, since a turn may not be idempotent.
   */
  readonly onInterrupted?: OnInterrupted | undefined
  /**
   * The conversation works in a git worktree of its own, on the branch `reins/NAME`, made at its first turn from the commit that
   * is checked out in the working directory. Once made, its later turns use it, too; `false` works in the directory itself.
   * Default: without.
   */
  readonly worktree?: boolean | WorktreeOptions | undefined
}

/** The origin of a session: begun by Reins, adopted from the CLI's own, or only known to the CLI. */
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
  /** Its origin. */
  readonly origin: SessionOrigin
  /** Whether it can be continued. */
  readonly state: SessionState
  /** When it began, in ms since 1970. */
  readonly createdAt?: number
  /** When it was last used, in ms since 1970. */
  readonly usedAt: number
  /** Its completed turns, as far as they are known. */
  readonly turns?: number
  /** In US dollars, as far as known: of the store by the ledger, else by the CLI, for a fork with its parent's cost. */
  readonly costUsd?: number
  /** True if it has runs of unknown cost, so that the real cost is higher. */
  readonly isCostPartial?: boolean
  /** The session from which it was forked: its id in the store. */
  readonly parent?: string
  /** Its current user. */
  readonly holder?: SessionHolder
  /** The name of the home that has its files. */
  readonly home?: string
}

/** Filters for a list of sessions. */
export interface SessionFilter {
  /** Sessions of this CLI only. */
  readonly cli?: string | undefined
  /** Sessions with this working directory only. */
  readonly directory?: string | undefined
  /** Sessions of this conversation only, including its earlier ones. */
  readonly conversation?: ConversationKey | undefined
  /** Adds sessions that were begun in the CLIs themselves: the newest 200 of each CLI, read-only. Default: false. */
  readonly outside?: boolean | undefined
  /** Adds archived and dead ones. Default: false. */
  readonly all?: boolean | undefined
  /** Maximum number, the last used first. Default: no limit. */
  readonly limit?: number | undefined
}

/** Names a session: its id in the store, a CLI's own id, a conversation, or the beginning of an id that fits only one. */
export type SessionRef =
  | string
  | { readonly cli: string; readonly sessionId: string }
  | { readonly conversation: ConversationKey; readonly cli?: string }

/** How a session of a CLI is added to the store. */
export interface AdoptOptions {
  /** Continues with it from now on. Default: none. */
  readonly conversation?: ConversationKey | undefined
}

/** How a session is forked. */
export interface ForkOptions {
  /** Continues in the fork, from its next turn on. */
  readonly conversation: ConversationKey
}

/** `markdown`: for people; answers are cut at 2,000 characters. `json`: one object a line, whole. */
export type ExportFormat = "markdown" | "json"

/** How a transcript is read. */
export interface TranscriptOptions {
  /** Starts behind this position; 0 is the beginning. Default: 0. */
  readonly after?: number | undefined
  /** Waits for further events until the reader stops. Default: true. */
  readonly follow?: boolean | undefined
}

/** The prompt of a caller, as a part of a transcript: the events of a run have only answers. */
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
  /** The event without secrets; text and thinking that arrived together are one event. */
  readonly event: AgentEvent | PromptEvent
}

/** A prompt in a session, as its CLI keeps it. */
export interface StoredPrompt {
  /** Time of the prompt, in ms since 1970, where the CLI keeps it. */
  readonly at?: number | undefined
  /** Its text; attachments are not in it. */
  readonly prompt: string
}

/** An event of a session, made from the files of its CLI. */
export interface StoredEvent {
  /** When it happened, in ms since 1970, where the CLI keeps it. */
  readonly at?: number | undefined
  /** The event of a run, as far as the CLI keeps it; never `done`. */
  readonly event: AgentEvent
}

/** A piece of a session, as its CLI keeps it in files of its own. */
export type StoredItem = StoredPrompt | StoredEvent

/** How long a store keeps things. */
export interface StoreKeep {
  /** How long a conversation remembers its session after its last use. Default: 7 days. */
  readonly sessions?: DurationInput | undefined
  /** Number of sessions whose transcripts are kept, the last used first. Default: 20. */
  readonly transcripts?: number | undefined
  /** How long the texts of ended turns are kept. Default: 7 days. */
  readonly turns?: DurationInput | undefined
}
