/** How turns enter the worktree of their conversation: the request, and what they get. */
import type { Effect } from "effect"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type { WorktreeOptions } from "../../contract/WorktreeOptions.ts"
import type { KeyParts } from "./conversationKey.ts"

export interface WorktreeRequest {
  readonly key: KeyParts
  /** The directory of the caller; undefined: that of the session, else the current one. */
  readonly directory: string | undefined
  /** The directory of the session that goes on. */
  readonly session: string | undefined
  /** Whether the CLI continues its sessions only in their directories. */
  readonly isBound: boolean
  /** `undefined`: only a worktree that exists already. */
  readonly options: WorktreeOptions | undefined
  /** The text of the key of the conversation that is forked with the turn. */
  readonly parent: string | undefined
}

export interface Entered<Needs = never> {
  /** The place in the worktree that the directory of the caller has in its repository. */
  readonly directory: string
  /** The directory of the caller. */
  readonly original: string
  readonly name: string
  /** Whether its files were restored: they were missing. */
  readonly isRestored: boolean
  /** Takes its files into a commit that lasts; a failure is a warning in the log. */
  readonly save: Effect.Effect<void, never, Needs>
}

/** The part of the service `Worktrees` that turns need. */
export interface WorktreeEntry {
  /** The worktree in which a turn works; undefined without one. Call it with the conversation held. */
  readonly enter: (request: WorktreeRequest) => Effect.Effect<Entered | undefined, WorktreeError>
}
