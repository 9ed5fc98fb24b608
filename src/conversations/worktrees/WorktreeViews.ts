/** Views of the worktrees of conversations, for hosts that show them: members of the service `Worktrees`. */
import type { Effect } from "effect"
import type { ConversationKey } from "../../contract/Sessions.ts"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type { FileChange, WorktreeInfo, WorktreeRef } from "../../contract/Worktrees.ts"

/** The place of a directory in the worktree of a conversation. */
interface WorktreePlace {
  readonly worktree: WorktreeInfo
  /** The directory in the worktree; its files may be missing from the disk. */
  readonly directory: string
}

/** The difference of one file. */
export interface FileDiff {
  readonly file: FileChange
  /** As git writes it, without its head; absent for a file that is not text, and for a difference that is too long. */
  readonly text?: string
}

export interface WorktreeViews {
  /** The worktree in which the next turn of a conversation works in a directory; undefined while it has none there. */
  readonly placeOf: (
    conversation: ConversationKey,
    directory: string
  ) => Effect.Effect<WorktreePlace | undefined, WorktreeError>
  /**
   * The difference of one file of the changes between two commits of `changes`, with at most `maxBytes` of text; undefined if
   * the file is not one of them.
   */
  readonly diff: (
    worktree: WorktreeRef,
    request: { readonly base: string; readonly commit: string; readonly path: string; readonly maxBytes: number }
  ) => Effect.Effect<FileDiff | undefined, WorktreeError>
}
