/** A lock of a PostgreSQL server, held by a connection, which is polled so that a loss is known. */
import { createHash } from "node:crypto"
import { type Duration, Effect, Exit, Fiber, Option, Schedule, Scope } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import { countIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { typed } from "../../conversations/store/transact.ts"

const pollInterval = "5 seconds"
/** A connection that is silent for longer is lost. */
const answered = "10 seconds"
/** Delay between attempts to regain a lock whose connection is lost. */
const again = "1 second"
/** A frozen machine does not poll: the server then closes its connection, and another machine gets the lock. In ms. */
const silentMs = "15000"

const keysOf = (name: string): readonly [number, number] => {
  const digest = createHash("sha256").update(`reins/channel/${name}`).digest()
  return [digest.readInt32BE(0), digest.readInt32BE(4)]
}

/** Whether a connection of any machine holds it. Takes nothing. */
export const isAdvisoryTaken = ({ sql, read }: OpenStore, name: string) => {
  // The server lists them without a sign.
  const [first, second] = keysOf(name).map((key) => String(key >>> 0))
  return Effect.map(
    read(sql<object>`select count(*) as count from pg_locks where locktype = 'advisory' and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
      and classid = cast(${first} as text)::oid and objid = cast(${second} as text)::oid`),
    ([row = {}]) => (countIn(row, "count") ?? 0) > 0
  )
}

/** None if it takes longer: the work continues in the scope, since the driver waits even if interrupted. */
const within = <A, E>(work: Effect.Effect<A, E>, time: Duration.Input, scope: Scope.Scope) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkIn(work, scope)
    const found = yield* Effect.timeoutOption(Fiber.join(fiber), time)
    if (Option.isNone(found)) yield* Effect.forkIn(Fiber.interrupt(fiber), scope)
    return found
  })

/** `gone` returns when the connection is gone. */
const advisoryLock = Effect.fnUntraced(function* ({ sql }: OpenStore, name: string) {
  const scope = yield* Effect.scope
  const connection = yield* typed(sql.reserve)
  const keys = keysOf(name)
  const ask = (statement: string, params: ReadonlyArray<unknown>) =>
    typed(connection.execute(statement, params, undefined))
  const [row = {}] = yield* ask("select case when pg_try_advisory_lock($1, $2) then 1 else 0 end as mine", keys)
  const isMine = countIn(row, "mine") === 1
  if (isMine) {
    // The connection is others' again afterwards.
    const reset = ask("select set_config('idle_session_timeout', '0', false)", [])
    yield* Effect.addFinalizer(() =>
      Effect.andThen(Effect.ignore(ask("select pg_advisory_unlock($1, $2)", keys)), Effect.ignore(reset))
    )
    yield* ask("select set_config('idle_session_timeout', $1, false)", [silentMs])
  }
  return {
    isMine,
    gone: Effect.ignore(
      Effect.repeat(
        Effect.flatMap(within(ask("select 1", []), answered, scope), Effect.fromOption),
        Schedule.spaced(pollInterval)
      )
    )
  }
})

/** Retries as long as the database is away. */
const patient = <A>(work: Effect.Effect<A, StoreError>): Effect.Effect<A> =>
  Effect.catch(work, () => Effect.delay(patient(work), again))

/** Held until the scope closes. A lost connection is replaced, as long as no other server had the lock in between. */
export const heldLock = Effect.fnUntraced(function* (store: OpenStore, name: string) {
  const outer = yield* Effect.scope
  const attempt = Effect.gen(function* () {
    const scope = yield* Scope.fork(outer)
    const lock = yield* Effect.onError(Scope.provide(advisoryLock(store, name), scope), (cause) =>
      Scope.close(scope, Exit.failCause(cause))
    )
    // Closing a lost connection must not hold up the caller.
    return { ...lock, leave: Effect.forkIn(Scope.close(scope, Exit.void), outer) }
  })
  const first = yield* attempt
  return {
    isMine: first.isMine,
    /** Returns once another server has had the lock, or may have it, since it cannot be regained in time. */
    lost: (isStill: Effect.Effect<boolean, StoreError>, patience: Duration.Input) => {
      /** Returns undefined if another server had it. */
      const regain: Effect.Effect<typeof first | undefined> = Effect.gen(function* () {
        const held = yield* patient(attempt)
        if (!(yield* patient(isStill))) return undefined
        if (held.isMine) return held
        yield* held.leave
        return yield* Effect.delay(regain, again)
      })
      return Effect.gen(function* () {
        let held = first
        while (true) {
          yield* held.gone
          yield* held.leave
          const next = Option.getOrUndefined(yield* within(regain, patience, outer))
          if (next === undefined) return
          held = next
        }
      })
    }
  }
})
