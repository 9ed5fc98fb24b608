/** The store of the plain door, and its sessions. */
import type { Budget, BudgetState } from "./Budget.ts"
import type { MaybeSecret } from "./Redacted.ts"
import type {
  AdoptOptions,
  ConversationKey,
  ExportFormat,
  ForkOptions,
  SessionFilter,
  SessionInfo,
  SessionRef,
  StoreKeep,
  TranscriptEvent,
  TranscriptOptions
} from "./Sessions.ts"
import type { UsageEntry, UsageFilter, UsageQuery, UsageReport } from "./Usage.ts"
import type {
  FileChange,
  OfSeenChanges,
  WorktreeChanges,
  WorktreeInfo,
  WorktreeLeftover,
  WorktreeRef
} from "./Worktrees.ts"

/** A PostgreSQL server: its URL, which may be `redacted`, or the name of a variable of the environment with it. */
export type PostgresPlace = MaybeSecret | { readonly env: string }

/** The place of a store, and how long it keeps things. Without any of these: in a file of the user. */
export interface OpenStoreOptions {
  /** The directory of its file; created if it is missing. Default: `store` in the user's state directory. */
  readonly directory?: string | undefined
  /** On a PostgreSQL server instead, version 14 or newer: for several machines. The URL appears in no message. */
  readonly postgres?: PostgresPlace | undefined
  /** In the memory of this process instead: for tests. Default: false. */
  readonly memory?: boolean | undefined
  /** Opens it on a network file system, too, where a file of several machines is damaged sooner or later. Default: false. */
  readonly allowNetworkFileSystem?: boolean | undefined
  /** How long things are kept. */
  readonly keep?: StoreKeep | undefined
}

/** Lists, reads, exports and changes the sessions of a store. No model is asked. Fails with `StoreError`. */
export interface PlainSessions {
  /** Sessions of the store, the last used first; with `outside` also those that were begun in the CLIs themselves. */
  readonly list: (filter?: SessionFilter) => AsyncIterable<SessionInfo>
  /** One session, also one that only its CLI knows. Fails with `UnknownSession` and `AmbiguousSession`. */
  readonly get: (session: SessionRef) => Promise<SessionInfo>
  /** Gives it a title: one line, at most 200 characters. */
  readonly rename: (session: SessionRef, title: string) => Promise<SessionInfo>
  /** Removes its row, transcript and texts of turns; the CLI's files stay. `SessionBusy` while it is used. */
  readonly forget: (session: SessionRef) => Promise<void>
  /** Archives it: it is listed with `all` only, and its conversation begins anew. `adopt` undoes that. */
  readonly archive: (session: SessionRef) => Promise<SessionInfo>
  /**
   * Continues another conversation in a copy of the session, which its CLI makes with the next turn. Fails with
   * `UnsupportedOption` where the CLI cannot fork. Returns the session that will be forked.
   */
  readonly fork: (session: SessionRef, options: ForkOptions) => Promise<SessionInfo>
  /** Adds a session that was begun in its CLI to the store, so that a conversation can continue it. */
  readonly adopt: (session: SessionRef, options?: AdoptOptions) => Promise<SessionInfo>
  /** The conversation begins anew with its next turn, of one CLI or of all. Its sessions stay. */
  readonly clear: (conversation: ConversationKey, cli?: string) => Promise<void>
  /** The transcript behind a position, then new events, until it is archived or forgotten. `NotKept` without one. */
  readonly events: (session: SessionRef, options?: TranscriptOptions) => AsyncIterable<TranscriptEvent>
  /** As text: from the transcript, else from the CLI's own files. */
  readonly export: (session: SessionRef, format: ExportFormat) => AsyncIterable<string>
}

/** The git worktrees of conversations on this machine. Fails with `WorktreeError`. */
export interface PlainWorktrees {
  /** All of them, the last used first. */
  readonly list: () => Promise<ReadonlyArray<WorktreeInfo>>
  /** The changes that the person's last commit does not have; with `patch` all of them as text, too. */
  readonly changes: (
    worktree: WorktreeRef,
    options?: { readonly patch?: boolean | undefined }
  ) => Promise<WorktreeChanges>
  /**
   * Applies the changes to the person's working tree, all or none, and returns the files that were written. `WouldOverwrite` where a file has
   * uncommitted changes, `Conflicting` where the changes do not fit the last commit. The index stays as it is.
   */
  readonly apply: (worktree: WorktreeRef, options?: OfSeenChanges) => Promise<ReadonlyArray<FileChange>>
  /** Commits all files on its branch, and returns the id of the commit; undefined if there was nothing to commit. */
  readonly commit: (
    worktree: WorktreeRef,
    options?: OfSeenChanges & { readonly message?: string | undefined }
  ) => Promise<string | undefined>
  /** Sets files and branch back to their beginning; returns a commit with the discarded files. */
  readonly discard: (worktree: WorktreeRef, options?: OfSeenChanges) => Promise<string>
  /** Removes its files. With changes that the last commit does not have it is `stored` in git, unless `discard` is true. */
  readonly remove: (
    worktree: WorktreeRef,
    options?: { readonly discard?: boolean | undefined }
  ) => Promise<"removed" | "stored">
  /** Leftovers of killed processes, and worktrees whose files are missing on the disk. */
  readonly leftovers: () => Promise<ReadonlyArray<WorktreeLeftover>>
  /** Removes or finishes what was left; returns what was done, in words. */
  readonly clean: () => Promise<ReadonlyArray<string>>
}

/** An open store, for any number of agents: `createAgent("claude", { store })`. */
export interface PlainStore extends AsyncDisposable {
  /** The kind of its database. */
  readonly kind: "file" | "postgres" | "memory"
  /** Its file, the host and database of its server, or `memory`. */
  readonly place: string
  /** Its sessions. */
  readonly sessions: PlainSessions
  /** The worktrees of its conversations. */
  readonly worktrees: PlainWorktrees
  /** Adds up the entries of the ledger that match, with one row for each day unless the query says otherwise. */
  readonly usage: (query?: UsageQuery) => Promise<UsageReport>
  /** The entries that match, the oldest first. */
  readonly entries: (filter?: UsageFilter) => AsyncIterable<UsageEntry>
  /** The states of these budgets, in their order; unless they are for all, of each subject that has used them. */
  readonly budgets: (
    budgets: ReadonlyArray<Budget>,
    options?: {
      /** The time zone in which days and months begin. Default: that of the host. */
      readonly zone?: string | undefined
    }
  ) => Promise<ReadonlyArray<BudgetState>>
  /** Closes it. Close its agents first: entries that they can no longer write are kept until it is opened again. */
  readonly close: () => Promise<void>
}
