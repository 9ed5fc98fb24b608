/** Operations on the worktrees of conversations: the members of the service `Worktrees`. */
import type { Effect } from "effect"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type {
  FileChange,
  WorktreeChanges,
  WorktreeInfo,
  WorktreeLeftover,
  WorktreeRef
} from "../../contract/Worktrees.ts"
import type { Entered, WorktreeRequest } from "./enterWorktree.ts"

/** What can be done with the worktrees of this machine. */
export interface WorktreeOperations {
  /** All of them, the last used first. */
  readonly list: Effect.Effect<ReadonlyArray<WorktreeInfo>, WorktreeError>
  /** The changes since they were last applied; with `patch` also as text. */
  readonly changes: (
    worktree: WorktreeRef,
    options?: { readonly patch?: boolean | undefined }
  ) => Effect.Effect<WorktreeChanges, WorktreeError>
  /**
   * Applies the changes to the person's working tree, all or none, and returns the files. Fails with `WouldOverwrite` where a
   * file has uncommitted changes, and with `Conflicting` where the changes do not fit the last commit. The index stays as it is.
   */
  readonly apply: (worktree: WorktreeRef) => Effect.Effect<ReadonlyArray<FileChange>, WorktreeError>
  /** Commits all files on its branch. Returns the id of the commit; undefined if there was nothing to commit. */
  readonly commit: (
    worktree: WorktreeRef,
    options?: { readonly message?: string | undefined }
  ) => Effect.Effect<string | undefined, WorktreeError>
  /**
   * Sets its files and its branch back to what was applied last, or to its beginning. Ignored files stay. Returns the id of a
   * commit with the discarded files, which git keeps as `refs/reins/discarded/NAME` until the next time.
   */
  readonly discard: (worktree: WorktreeRef) => Effect.Effect<string, WorktreeError>
  /**
   * Removes its files from the disk. With changes that were not applied, it is `stored`: its branch and its files are in git, and
   * its next turn restores them. With `discard` nothing is restored.
   */
  readonly remove: (
    worktree: WorktreeRef,
    options?: { readonly discard?: boolean | undefined }
  ) => Effect.Effect<"removed" | "stored", WorktreeError>
  /** What was left by killed processes or is missing on the disk. */
  readonly leftovers: Effect.Effect<ReadonlyArray<WorktreeLeftover>, WorktreeError>
  /** Removes or finishes what was left. Returns what was done, in words. */
  readonly clean: Effect.Effect<ReadonlyArray<string>, WorktreeError>
}

/** For turns. */
export interface WorktreeEntry {
  /** The worktree in which a turn works; undefined without one. Call it with the conversation held. */
  readonly enter: (request: WorktreeRequest) => Effect.Effect<Entered | undefined, WorktreeError>
}
