/** The store of the plain door. */
import type { Budget, BudgetState } from "./Budget.ts"
import type { MaybeSecret } from "./Input.ts"
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

/** Lists, reads, exports and changes the sessions of a store. No model is asked. Fails with `StoreError`. */
export interface PlainSessions {
  /** Ours, the last used first; with `outside` also those that were begun in the CLIs themselves. */
  readonly list: (filter?: SessionFilter) => AsyncIterable<SessionInfo>
  /** One session, also one that only its CLI knows. Fails with `UnknownSession` and `AmbiguousSession`. */
  readonly get: (session: SessionRef) => Promise<SessionInfo>
  /** Gives it a title: one line, at most 200 characters. */
  readonly rename: (session: SessionRef, title: string) => Promise<SessionInfo>
  /**
   * Removes its row, its transcript and the texts of its turns. The files of its CLI stay. Fails with `SessionBusy` while
   * it is used.
   */
  readonly forget: (session: SessionRef) => Promise<void>
  /** Puts it away: it is listed with `all` alone, and its conversation begins anew. `adopt` takes it back. */
  readonly archive: (session: SessionRef) => Promise<SessionInfo>
  /**
   * Lets another conversation go on in a copy of the session, which its CLI makes with the next turn; the session stays as
   * it is. Fails with `UnsupportedOption` where the CLI cannot fork. Gives the session that will be forked.
   */
  readonly fork: (session: SessionRef, options: ForkOptions) => Promise<SessionInfo>
  /** Makes a session that was begun in its CLI one of ours, so that a conversation can go on with it. */
  readonly adopt: (session: SessionRef, options?: AdoptOptions) => Promise<SessionInfo>
  /** The conversation begins anew with its next turn, of one CLI or of all. Its sessions stay. */
  readonly clear: (conversation: ConversationKey, cli?: string) => Promise<void>
  /**
   * The transcript behind a position, then what is to come, until the session is archived or forgotten. Fails with
   * `NotKept` where there is none.
   */
  readonly events: (session: SessionRef, options?: TranscriptOptions) => AsyncIterable<TranscriptEvent>
  /** As text: from the transcript, else from the CLI's own files. */
  readonly export: (session: SessionRef, format: ExportFormat) => AsyncIterable<string>
}

/** Where a PostgreSQL server is: its URL, which may be `redacted`, or the name of a variable of the environment with it. */
export type PostgresPlace = MaybeSecret | { readonly env: string }

/** Where a store is, and how long it keeps things. Without any of these: in a file of the user. */
export interface OpenStoreOptions {
  /** Where its file lies; made if it is missing. Default: `store` in the user's state directory. */
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

/** An open store, for any number of agents: `createAgent("claude", { store })`. */
export interface PlainStore extends AsyncDisposable {
  /** What it is on. */
  readonly kind: "file" | "postgres" | "memory"
  /** Its file, the host and database of its server, or `memory`. */
  readonly place: string
  /** The sessions that it has. */
  readonly sessions: PlainSessions
  /** Adds up the entries of the ledger that match, in one row for each day unless it names something else. */
  readonly usage: (query?: UsageQuery) => Promise<UsageReport>
  /** The entries that match, the oldest first. */
  readonly entries: (filter?: UsageFilter) => AsyncIterable<UsageEntry>
  /**
   * How these budgets stand, in the order in which they are named. One that is not for all has a state for each subject
   * that has used it.
   */
  readonly budgets: (
    budgets: ReadonlyArray<Budget>,
    options?: {
      /** The time zone in which days and months begin. Default: that of the host. */
      readonly zone?: string | undefined
    }
  ) => Promise<ReadonlyArray<BudgetState>>
  /** Closes it. Close the agents that use it before: what they cannot write any more is kept until it is opened again. */
  readonly close: () => Promise<void>
}
