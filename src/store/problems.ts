/** An error of the database → why the store cannot be used, by its code alone: a text of the database can show values. */
import { Predicate } from "effect"
import type { SqlError } from "effect/sql"
import { StoreUnavailable } from "../contract/AgentError.ts"

/** Primary result codes of SQLite. */
const ofSqlite: Readonly<Record<number, string>> = {
  8: "it can only be read",
  10: "the disk failed to read or write it",
  11: "its file is damaged",
  13: "no space is left on its disk",
  14: "its file cannot be opened",
  26: "its file is no database"
}

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

const codeOf = (cause: unknown): string | undefined => {
  if (!Predicate.isObject(cause)) return undefined
  if (Predicate.hasProperty(cause, "errno") && Predicate.isNumber(cause.errno)) return ofSqlite[cause.errno & 0xff]
  return undefined
}

export const problemOf = ({ reason }: SqlError.SqlError): StoreUnavailable =>
  new StoreUnavailable({ problem: codeOf(reason.cause) ?? ofReason[reason._tag] })
