/**
 * Work on the database that another process may stand in the way of: it is tried again, 2 → 50 ms later, for ten seconds
 * in all. Waiting suspends a fiber, never the event loop. The work may run several times: it does nothing but ask the
 * database.
 */
import { Cause, Clock, Effect, Option, Predicate, Schedule } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { StoreError } from "../../contract/StoreError.ts"
import { startStopwatch } from "../../system/hostClock.ts"
import { problemOf, resultCodeOf } from "./problems.ts"

const intervals = Schedule.jittered(Schedule.min([Schedule.exponential("2 millis", 1.5), Schedule.spaced("50 millis")]))
const patienceMs = 10_000

const isSqlError = (error: unknown): error is SqlError.SqlError => Predicate.isTagged(error, "SqlError")

const passing: ReadonlySet<SqlError.SqlErrorReason["_tag"]> = new Set([
  "LockTimeoutError",
  "SerializationError",
  "DeadlockError"
])

/**
 * How often those are tried again that another try can mend, also where a part of a transaction has made a `StoreError` of
 * one. On PostgreSQL, an entry that is there may be one that came in between, which the next try sees.
 */
const tries = new WeakMap<StoreError, number>()

const triesAfter = (error: SqlError.SqlError): number => {
  if (passing.has(error.reason._tag)) return Number.POSITIVE_INFINITY
  return error.reason._tag === "UniqueViolation" && resultCodeOf(error) === undefined ? 10 : 0
}

const asStoreError = (error: SqlError.SqlError): StoreError => {
  const made = new StoreError({ reason: problemOf(error) })
  tries.set(made, triesAfter(error))
  return made
}

type Work<A, E, R> = Effect.Effect<A, E | SqlError.SqlError, R>
type Done<A, E, R> = Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreError, R>

/**
 * Effect gives up with a defect where a transaction cannot be taken back: with its connection, it is gone anyway. Failures
 * beside a defect become defects on their way, so that why the work itself failed is found among them.
 */
const lostConnections = <A, E, R>(work: Work<A, E, R>): Work<A, E | StoreError, R> =>
  Effect.catchCause(work, (cause): Effect.Effect<never, E | SqlError.SqlError | StoreError> => {
    const defects = cause.reasons.flatMap((reason) => (Cause.isDieReason(reason) ? [reason.defect] : []))
    const lost = defects.find((defect) => defect instanceof StoreError) ?? defects.find(isSqlError)
    if (lost === undefined) return Effect.failCause(cause)
    const others = cause.reasons.filter((reason) => !Cause.isDieReason(reason))
    return others.length === 0 ? Effect.fail(lost) : Effect.failCause(Cause.fromReasons(others))
  })

export const typed = <A, E, R>(work: Work<A, E, R>): Done<A, E, R> =>
  Effect.mapError(
    lostConnections(work),
    (error) => (isSqlError(error) ? asStoreError(error) : (error as Exclude<E, SqlError.SqlError>)) // the other side of the guard
  )

/** Retries until no transaction is in its way, for at most ten seconds. */
export const patiently = <A, E, R>(work: Work<A, E, R>): Done<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const elapsedMs = startStopwatch(clock)
    let collisions = 0
    const mayTry = (error: unknown) => {
      const most = error instanceof StoreError ? (tries.get(error) ?? 0) : 0
      if (most !== Number.POSITIVE_INFINITY) collisions += 1
      return collisions <= most && elapsedMs() < patienceMs
    }
    return Effect.retry(typed(work), {
      while: mayTry,
      schedule: intervals
    })
  })

export interface Transactions {
  /** All of it, or nothing; as if no other transaction ran at the same time. A part of another joins it. */
  readonly transact: <A, E, R>(work: Work<A, E, R>) => Done<A, E, R>
  /** Statements that stand for themselves. */
  readonly read: <A, E, R>(work: Work<A, E, R>) => Done<A, E, R>
}

/** `check`: whether the database is still the one that was opened; before each piece of work. */
export const makeTransactions = (
  sql: SqlClient.SqlClient,
  check: Effect.Effect<void, StoreError> = Effect.void
): Transactions => {
  const joined = <A, E, R>(work: Work<A, E, R>, alone: Work<A, E | StoreError, R>) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (outer) =>
      Option.isSome(outer) ? typed(work) : patiently(alone)
    )
  return {
    transact: (work) => joined(work, sql.withTransaction(Effect.andThen(check, work))),
    read: (work) => joined(work, Effect.andThen(check, work))
  }
}
