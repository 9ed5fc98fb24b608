/**
 * A turn reads little in its transactions: PostgreSQL restarts a transaction when another changes its reads, so a
 * reader of all turns collides with every turn.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { hasPostgres, makeDatabase, postgres } from "../kit/postgres.ts"
import { startClient, startHome } from "./kit/homes.ts"

/** Enough that an index is worth its while. */
const many = 5_000

const fill = `insert into reins.turns (turn_id, conversation, cli, seq, state, run_id, digest, created, ended, for_home)
  select 'old' || n, case when n % 2 = 0 then 'old' || n else '' end, 'claude', n, 'done', 'run' || n, '', n, n, 'id-of-a'
  from generate_series(1, ${many}) n;
  insert into reins.runs (run_id, turn_id, cli, started, ended, home, host, pid)
  select run_id, turn_id, cli, created, ended, for_home, '', 1 from reins.turns where turn_id like 'old%'; analyze`

const locked = `select distinct relation::regclass::text as name, locktype from pg_locks
  where mode = 'SIReadLock' and (relation = 'turns_home'::regclass or (relation = 'turns'::regclass and locktype = 'relation'))`

describe.skipIf(!hasPostgres)("turns of a cluster", () => {
  it.live(
    "read no turns but their own",
    () =>
      Effect.gen(function* () {
        const { url, name } = yield* makeDatabase
        yield* startHome(url, "a")
        const { sessions, store } = yield* startClient(url)
        const { psql } = yield* postgres
        // With the first, the home looks through old turns, as it does once a day.
        yield* sessions.run({ conversation: "first", prompt: "zero" })
        psql(name, fill)
        const begun = yield* Deferred.make<void>()
        const over = yield* Deferred.make<void>()
        // The reads of others are remembered as long as a transaction lasts that began before their end.
        const watching = yield* Effect.forkChild(
          store.transact(
            Effect.gen(function* () {
              yield* store.sql`select 1 from cluster_homes`
              yield* Deferred.succeed(begun, undefined)
              yield* Deferred.await(over)
              return yield* store.sql<object>`${store.sql.literal(locked)}`
            })
          )
        )
        yield* Deferred.await(begun)
        yield* sessions.run({ conversation: "c", prompt: "one" })
        yield* sessions.run({ prompt: "two" })
        yield* Deferred.succeed(over, undefined)
        assert.deepStrictEqual(yield* Fiber.join(watching), [])
      }).pipe(Effect.scoped),
    60_000
  )
})
