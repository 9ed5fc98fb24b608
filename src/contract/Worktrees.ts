/** The worktree of a conversation, and its changes. */
import type { ConversationKey } from "./Sessions.ts"

/**
 * - `ready`: its files are on the disk. `stored`: they are in git alone, and its next turn restores them.
 * - `making`: its host died while it was made; its next turn begins anew.
 */
export type WorktreeState = "ready" | "stored" | "making"

/** The worktree of a conversation. */
export interface WorktreeInfo {
  /** Its conversation. */
  readonly conversation: ReadonlyArray<string>
  /** Its name, which its branch and its directory have, too. */
  readonly name: string
  /** Its branch, `reins/NAME`. */
  readonly branch: string
  /** Whether its files are on the disk. */
  readonly state: WorktreeState
  /** Absolute path of its files. */
  readonly path: string
  /** Absolute path of the working tree of the person, at its top. */
  readonly repository: string
  /** When it was made, in ms since 1970. */
  readonly createdAt: number
  /** When a turn last used it, in ms since 1970. */
  readonly usedAt: number
}

/** A file that was changed. */
export interface FileChange {
  /** From the top of the repository. May contain any character. */
  readonly path: string
  /** Against the base of the changes. */
  readonly status: "added" | "changed" | "deleted"
  /** Lines that were added; absent for a file that is not text. */
  readonly added?: number
  /** The same of deleted lines. */
  readonly deleted?: number
}

/** The changes of a conversation in its worktree, without those that the person's last commit has already. */
export interface WorktreeChanges {
  /** Its facts. */
  readonly worktree: WorktreeInfo
  /** Id of the commit that the changes are relative to. */
  readonly base: string
  /** Id of a commit with all files. It lasts as long as the worktree. */
  readonly commit: string
  /** The changed files, ordered by path. */
  readonly files: ReadonlyArray<FileChange>
  /** Whether these files were applied as they are now. */
  readonly isApplied: boolean
  /** Commits on its branch that the repository of the person has not checked out. */
  readonly commits: number
  /** For `git apply --binary`. Absent above 16 MiB, and where a text in it is not UTF-8. */
  readonly patch?: string
}

/** An action on changes that were seen before. */
export interface OfSeenChanges {
  /** `commit` of the changes that the caller has seen: with others it fails with `ChangedSince`. Default: any. */
  readonly expected?: string | undefined
}

/** Names a worktree: its conversation, or its name; the beginning of a name that fits only one. */
export type WorktreeRef = string | { readonly conversation: ConversationKey }

/** Something of worktrees that a killed process or a person has left on the disk. */
export interface WorktreeLeftover {
  /**
   * - `missing`: a worktree whose files were removed by hand; its next turn restores them from git.
   * - `making`: its host died while it was made; its next turn begins anew.
   * - `unknown`: a directory that belongs to no worktree of this store.
   * - `stored`: files of a worktree that was removed.
   * - `half_applied`: changes of which only some files are in the working tree of a person.
   * - `no_repository`: a worktree whose repository is gone.
   */
  readonly kind: "missing" | "making" | "unknown" | "stored" | "half_applied" | "no_repository"
  /** Absolute path. */
  readonly path: string
  /** Name of the worktree, where it is known. */
  readonly name?: string
}
