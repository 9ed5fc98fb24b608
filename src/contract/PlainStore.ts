/** The store of the plain door. */
import type { Budget, BudgetState } from "./Budget.ts"
import type { MaybeSecret } from "./Input.ts"
import type { PlainSessions } from "./PlainSessions.ts"
import type { StoreKeep } from "./Sessions.ts"
import type { UsageEntry, UsageFilter, UsageQuery, UsageReport } from "./Usage.ts"

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
