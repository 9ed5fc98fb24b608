/** Errors of the database by code, never by text, which can show values; store errors as reasons of a run. */
import { Effect, Predicate } from "effect"
import type { SqlError } from "effect/sql"
import { type FailureReason, StoreUnavailable } from "../../contract/AgentError.ts"
import { StoreError } from "../../contract/StoreError.ts"

/** Primary result codes of SQLite. */
const ofSqlite: Readonly<Record<number, string>> = {
  8: "it can only be read",
  10: "the disk failed to read or write it",
  11: "its file is damaged",
  13: "no space is left on its disk",
  14: "its file cannot be opened",
  26: "its file is not a database"
}

/** SQLSTATE of PostgreSQL. */
const ofState: Readonly<Record<string, string>> = {
  "25006": "it can only be read",
  "25P03": "the database ended a transaction that had stood still",
  "3D000": "the database does not exist",
  "53100": "no space is left on its disk",
  "53200": "the database is out of memory",
  "53300": "the database has too many connections",
  "57P01": "the database ended the connection",
  "57P02": "the database ended the connection",
  "57P03": "the database is starting or shutting down"
}

const stateOf = ({ reason: { cause } }: SqlError.SqlError): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : ""

const ofReason: { readonly [Tag in SqlError.SqlErrorReason["_tag"]]: string } = {
  ConnectionError: "the database cannot be reached",
  AuthenticationError: "the database refuses this user",
  AuthorizationError: "the database does not allow it to this user",
  SqlSyntaxError: "the database does not know a table or column of it",
  UniqueViolation: "it has an entry of this name",
  ConstraintError: "the database refuses an entry",
  DeadlockError: "other processes stand in its way, for 10 s",
  SerializationError: "other processes stand in its way, for 10 s",
  LockTimeoutError: "another process keeps it locked, for 10 s",
  StatementTimeoutError: "the database did not answer in time",
  UnknownError: "the database failed"
}

/** The result code of SQLite; undefined for errors of another database. */
export const resultCodeOf = ({ reason: { cause } }: SqlError.SqlError): number | undefined =>
  Predicate.hasProperty(cause, "errno") && Predicate.isNumber(cause.errno) ? cause.errno & 0xff : undefined

export const problemOf = (error: SqlError.SqlError): StoreUnavailable =>
  new StoreUnavailable({
    problem: ofSqlite[resultCodeOf(error) ?? 0] ?? ofState[stateOf(error)] ?? ofReason[error.reason._tag]
  })

export const replaced = new StoreError({
  reason: new StoreUnavailable({ problem: "its file was removed or replaced while it was open" })
})

export const storeFailure = ({ reason }: StoreError): FailureReason =>
  reason._tag === "StoreUnavailable" ? reason : new StoreUnavailable({ problem: reason.message })

export const refusedByStore = <A, R>(
  work: Effect.Effect<A, FailureReason | StoreError, R>
): Effect.Effect<A, FailureReason, R> =>
  Effect.mapError(work, (error) => (error._tag === "StoreError" ? storeFailure(error) : error))
