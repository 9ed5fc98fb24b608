/** An open store, whatever it is on, and how it is opened. */
import type { SqlClient } from "effect/sql"
import type { MaybeSecret } from "../../contract/Redacted.ts"
import type { StoreKeep } from "../../contract/Sessions.ts"
import type { Keep } from "./keep.ts"
import type { Transactions } from "./transact.ts"

/** How a store in a file is opened. */
export interface FileStoreOptions {
  /** Where its file lies; made if it is missing. Default: `store` in the user's state directory. */
  readonly directory?: string | undefined
  /** Opens it on a network file system, too, where a file of several machines is damaged sooner or later. Default: false. */
  readonly allowNetworkFileSystem?: boolean | undefined
  readonly keep?: StoreKeep | undefined
}

/** How a store on a server is opened. */
export interface PostgresStoreOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`. No error, log or span shows it. */
  readonly url: MaybeSecret
  readonly keep?: StoreKeep | undefined
}

/** How a store in memory is opened. */
export interface MemoryStoreOptions {
  readonly keep?: StoreKeep | undefined
}

export interface OpenStore extends Transactions {
  /** The database behind it. */
  readonly kind: "file" | "postgres" | "memory"
  /** For people: its file, the host and database of its server, or `memory`. */
  readonly place: string
  /** Its tables are those of `store/migrations.ts`. Statements run by `transact` and `read`. */
  readonly sql: SqlClient.SqlClient
  /** How long things are kept. */
  readonly keep: Keep
  /** The name of this home, where the files of its sessions lie; made once for each user and machine. */
  readonly home: string
  /** Warnings from opening the store, as sentences for people; they were logged, too. */
  readonly warnings: ReadonlyArray<string>
}
