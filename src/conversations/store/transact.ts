/** Retries blocked work for ten seconds, every 2 → 50 ms. Work may run several times: it only queries the database. */
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

/** How often to retry, also for errors that a part of a transaction has turned into a `StoreError`. */
const tries = new WeakMap<StoreError, number>()

const triesAfter = (error: SqlError.SqlError): number => {
  if (passing.has(error.reason._tag)) return Number.POSITIVE_INFINITY
  // On PostgreSQL, a conflicting entry may have come in between; the next try sees it.
  return error.reason._tag === "UniqueViolation" && resultCodeOf(error) === undefined ? 10 : 0
}

const asStoreError = (error: SqlError.SqlError): StoreError => {
  const made = new StoreError({ reason: problemOf(error) })
  tries.set(made, triesAfter(error))
  return made
}

type Work<A, E, R> = Effect.Effect<A, E | SqlError.SqlError, R>
type Done<A, E, R> = Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreError, R>

/** Effect dies if it cannot roll back; failures beside a defect become defects, the work's own among them. */
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

/** Retries for at most ten seconds. */
export const patiently = <A, E, R>(work: Work<A, E, R>): Done<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const elapsedMs = startStopwatch(clock)
    let collisions = 0
    const mayTry = (error: unknown) => {
      const most = error instanceof StoreError ? (tries.get(error) ?? 0) : 0
      if (most !== Number.POSITIVE_INFINITY) collisions += 1
      return collisions <= most && elapsedMs() < patienceMs
    }
    return Effect.retry(typed(work), { while: mayTry, schedule: intervals })
  })

export interface Transactions {
  /** Atomic and serializable. Joins an outer transaction. */
  readonly transact: <A, E, R>(work: Work<A, E, R>) => Done<A, E, R>
  /** Independent statements. */
  readonly read: <A, E, R>(work: Work<A, E, R>) => Done<A, E, R>
}

/** `check` runs before each piece of work: whether the database is still the opened one. */
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
