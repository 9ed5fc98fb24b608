/** Operations on the worktrees of conversations: the members of the service `Worktrees`. */
import type { Effect } from "effect"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type {
  FileChange,
  OfSeenChanges,
  WorktreeChanges,
  WorktreeInfo,
  WorktreeLeftover,
  WorktreeRef
} from "../../contract/Worktrees.ts"

/** Operations on the worktrees of this machine. */
export interface WorktreeOperations {
  /** All of them, the last used first. */
  readonly list: Effect.Effect<ReadonlyArray<WorktreeInfo>, WorktreeError>
  /** The changes that the person's last commit does not have; with `patch` all of them as text, too. */
  readonly changes: (
    worktree: WorktreeRef,
    options?: { readonly patch?: boolean | undefined }
  ) => Effect.Effect<WorktreeChanges, WorktreeError>
  /**
   * Applies the changes to the person's working tree, all or none, and returns the files that were written. What was applied
   * before, and not touched since, is brought up to date. Fails with `WouldOverwrite` where a
   * file has uncommitted changes, and with `Conflicting` where the changes do not fit the last commit. The index stays as it is.
   */
  readonly apply: (
    worktree: WorktreeRef,
    options?: OfSeenChanges
  ) => Effect.Effect<ReadonlyArray<FileChange>, WorktreeError>
  /** Commits all files on its branch. Returns the id of the commit; undefined if there was nothing to commit. */
  readonly commit: (
    worktree: WorktreeRef,
    options?: OfSeenChanges & { readonly message?: string | undefined }
  ) => Effect.Effect<string | undefined, WorktreeError>
  /**
   * Sets its files and its branch back to their beginning. Ignored files stay, and so does what was applied. Returns the id of a
   * commit with the discarded files, which git keeps as `refs/reins/discarded/NAME`, those before as its second parent.
   */
  readonly discard: (worktree: WorktreeRef, options?: OfSeenChanges) => Effect.Effect<string, WorktreeError>
  /**
   * Removes its files from the disk. With changes that the last commit does not have, it is `stored`: its branch and its files are in git, and
   * its next turn restores them. With `discard` nothing is restored.
   */
  readonly remove: (
    worktree: WorktreeRef,
    options?: { readonly discard?: boolean | undefined }
  ) => Effect.Effect<"removed" | "stored", WorktreeError>
  /** Leftovers of killed processes, and worktrees whose files are missing on the disk. */
  readonly leftovers: Effect.Effect<ReadonlyArray<WorktreeLeftover>, WorktreeError>
  /** Removes or finishes what was left. Returns what was done, in words. */
  readonly clean: Effect.Effect<ReadonlyArray<string>, WorktreeError>
}
