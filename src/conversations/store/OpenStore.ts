/** An open store: its options, how long it keeps things, and its members. */
import { Effect, Result, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { makeParser } from "../../contract/checkInput.ts"
import { DurationInput, toMillis } from "../../contract/Input.ts"
import type { MaybeSecret } from "../../contract/Redacted.ts"
import type { StoreKeep } from "../../contract/Sessions.ts"
import { StoreError } from "../../contract/StoreError.ts"
import type { Transactions } from "./transact.ts"

/** How a store in a file is opened. */
export interface FileStoreOptions {
  /** Where its file lies; made if it is missing. Default: `store` in the user's state directory. */
  readonly directory?: string | undefined
  /** Allows a network file system, where a file of several machines gets damaged sooner or later. Default: false. */
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
  readonly kind: "file" | "postgres" | "memory"
  /** For people: its file, the host and database of its server, or `memory`. */
  readonly place: string
  /** Its tables are those of `store/migrations.ts`. Statements run by `transact` and `read`. */
  readonly sql: SqlClient.SqlClient
  readonly keep: Keep
  /** The name of this home, where the files of its sessions lie; made once for each user and machine. */
  readonly home: string
  /** Warnings from opening the store, as sentences for people; also logged. */
  readonly warnings: ReadonlyArray<string>
}

export interface Keep {
  /** How long after its last use a conversation remembers its session, in ms. */
  readonly sessionsMs: number
  /** Number of sessions with a transcript, most recently used first. */
  readonly transcripts: number
  /** Lifetime of the texts of ended turns, in ms. */
  readonly turnsMs: number
}

const StoreKeepSchema = Schema.Struct({
  sessions: Schema.optional(DurationInput),
  transcripts: Schema.optional(Schema.Natural),
  turns: Schema.optional(DurationInput)
})

const fields = { keep: Schema.optional(StoreKeepSchema) }

/** Checks the options of a caller: `keep`, and those of its kind of store. */
export const checkOptions = <Fields extends Schema.Struct.Fields>(own: Fields) => {
  const parse = makeParser(Schema.Struct({ ...fields, ...own }) as unknown as Schema.Codec<unknown>, "options")
  return (input: unknown): Effect.Effect<void, StoreError> => {
    const parsed = parse(input)
    return Result.isFailure(parsed) ? Effect.fail(new StoreError({ reason: parsed.failure })) : Effect.void
  }
}

export const keepOf = ({ sessions = "7 days", transcripts = 20, turns = "7 days" }: StoreKeep = {}): Keep => ({
  sessionsMs: toMillis(sessions),
  transcripts,
  turnsMs: toMillis(turns)
})
