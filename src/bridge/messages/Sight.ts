/**
 * Updates for a channel that draws turns itself, as they happen: in order for each conversation. They are transient;
 * anything that must not be lost comes by `send`.
 */
import type { Effect } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type { FileChange, WorktreeChanges } from "../../contract/Worktrees.ts"
import type { Sender } from "./ChannelMessage.ts"
import type { Conversation } from "./Conversation.ts"

/** Settings that people chose for a conversation; absent members are the bridge's defaults. */
export interface Chosen {
  readonly agent?: string
  readonly model?: string
  readonly mode?: "default" | "plan" | "accept-edits" | "bypass"
  readonly effort?: string
  /** The name of a directory of the bridge. */
  readonly directory?: string
}

/** From the least on; see `Role` of the bridge. */
export type PersonRole = "user" | "approver" | "admin" | "owner"

/** An action on the changes of a conversation. */
export interface ChangesAction {
  readonly act: "apply" | "commit" | "discard"
  /** The beginning of the id of the commit that was shown. Default: acts on the files as they are. */
  readonly commit?: string | undefined
  /** The message of a commit. */
  readonly message?: string | undefined
}

/** `Stale`: the files are no longer those of the commit, and nothing was done. */
export type ChangesActed =
  | { readonly _tag: "Done"; readonly text: string }
  | { readonly _tag: "Stale" }
  | { readonly _tag: "NoWorktree" }

/** The changes of conversations in their worktrees. */
export interface ChangesSight {
  /** Undefined without a worktree. */
  readonly read: (conversation: Conversation) => Effect.Effect<WorktreeChanges | undefined, WorktreeError>
  /** A file of the changes with this commit; undefined if it is not one, or if the changes are others now. */
  readonly diff: (
    conversation: Conversation,
    request: { readonly commit: string; readonly path: string; readonly maxBytes: number }
  ) => Effect.Effect<{ readonly file: FileChange; readonly text?: string } | undefined, WorktreeError>
  readonly act: (conversation: Conversation, action: ChangesAction) => Effect.Effect<ChangesActed, WorktreeError>
  /** Takes the files of its worktree off the disk; its changes stay in git. */
  readonly store: (conversation: Conversation) => Effect.Effect<void, WorktreeError>
}

/** The account is served from now on. */
export interface ServedSight {
  readonly _tag: "Served"
  /** Names of the agents, and of the one that is asked unless a conversation has chosen another. */
  readonly agents: ReadonlyArray<string>
  readonly agent: string
  readonly directories: ReadonlyArray<{ readonly name: string; readonly path: string }>
  readonly directory?: string
  /** The changes of conversations in their worktrees. The caller checks the role of the person. */
  readonly changes?: ChangesSight
  /** The current role of a person in a conversation; undefined if their messages are refused. */
  readonly roleOf: (conversation: Conversation, sender: Pick<Sender, "id" | "ids">) => PersonRole | undefined
}

/** The choices of a conversation have changed. */
interface ChosenSight {
  readonly _tag: "Chosen"
  readonly conversation: Conversation
  readonly chosen: Chosen
}

/** State of a person's message. `place`: its place among the waiting ones, from 1. */
interface MessageSight {
  readonly _tag: "Message"
  readonly conversation: Conversation
  readonly updateId: string
  readonly state: "steering" | "taken" | "queued" | "dropped"
  readonly place?: number
}

/** A turn begins. The same turn can begin again, after its host died. */
export interface BegunSight extends Pick<Chosen, "model" | "mode" | "directory"> {
  readonly _tag: "Begun"
  readonly conversation: Conversation
  readonly turnId: string
  readonly agent: string
  /** The messages that it answers. */
  readonly updateIds: ReadonlyArray<string>
}

/** An event of a turn. Ids of requests are unique in the account, and are those of presses. */
interface EventSight {
  readonly _tag: "Event"
  readonly conversation: Conversation
  /** Undefined between turns, while an agent continues by itself. */
  readonly turnId: string | undefined
  readonly event: AgentEvent
}

/** The stop of the turn was requested; it ends when nothing of the agent's work is left, which may take seconds. */
interface StoppingSight {
  readonly _tag: "Stopping"
  readonly conversation: Conversation
  readonly turnId: string
}

/** The turn is over. Its messages come by `send`, with keys that begin with `${turnId}/`. */
interface EndedSight {
  readonly _tag: "Ended"
  readonly conversation: Conversation
  readonly turnId: string
  readonly result: AgentRunResult
}

export type Sight = ServedSight | ChosenSight | MessageSight | BegunSight | EventSight | StoppingSight | EndedSight
