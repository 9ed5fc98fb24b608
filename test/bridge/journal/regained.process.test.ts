/** An account of a channel, where the database is restarted or ends its connections: it stays its server's, unless another had it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Schedule } from "effect"
import { AccountPatience, takeAccount } from "../../../src/bridge/journal/account.ts"
import { isAdvisoryTaken } from "../../../src/bridge/journal/advisoryLock.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { hasPostgres, makeDatabase, postgres } from "../../kit/postgres.ts"

const name = JSON.stringify(["telegram", "bot"])

describe.skipIf(!hasPostgres)("an account whose connection is gone", () => {
  it.live(
    "is taken again, and lost once another server had it",
    () =>
      Effect.gen(function* () {
        const { url, name: database } = yield* makeDatabase
        const { psql } = yield* postgres
        const openStore = Effect.map(Layer.build(Layer.fresh(Store.layerPostgres({ url }))), Context.get(Store))
        const [store, other] = [yield* openStore, yield* openStore]
        const held = () =>
          psql(database, "select count(*) from pg_locks where locktype = 'advisory' and objsubid = 2 and granted")
        const cut = () =>
          psql(
            database,
            "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 2 and granted"
          )
        const account = yield* takeAccount(store, "telegram", "bot")
        const losing = yield* Effect.forkScoped(Effect.flip(account.lost))
        cut()
        assert.strictEqual(held(), "0")
        yield* Effect.repeat(isAdvisoryTaken(other, name), {
          until: (isTaken) => isTaken,
          schedule: Schedule.spaced("100 millis")
        })
        yield* account.change(Effect.void)
        assert.strictEqual(losing.pollUnsafe(), undefined)
        cut()
        // Another machine, which has no part in the locks of this one.
        const elsewhere = takeAccount({ ...other, place: "elsewhere" }, "telegram", "bot")
        const lost = yield* Effect.scoped(Effect.andThen(elsewhere, Fiber.join(losing)))
        assert.strictEqual(lost._tag, "ChannelLost")
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "is lost where the database is away for longer than others would wait",
    () =>
      Effect.gen(function* () {
        const { url } = yield* makeDatabase
        const { stop, start } = yield* postgres
        const store = Context.get(yield* Layer.build(Layer.fresh(Store.layerPostgres({ url }))), Store)
        const [shared, own] = [
          yield* Effect.provideService(takeAccount(store, "telegram", "bot"), AccountPatience, "200 millis"),
          yield* takeAccount(store, "web", "web")
        ]
        const ownLost = yield* Effect.forkScoped(Effect.flip(own.lost))
        const sharedLost = yield* Effect.forkScoped(Effect.flip(shared.lost))
        yield* Effect.acquireUseRelease(
          Effect.promise(() => stop("immediate")),
          () => Fiber.join(sharedLost),
          () => Effect.promise(start)
        )
        // It is taken again at its next try.
        yield* Effect.retry(own.change(Effect.void), Schedule.spaced("100 millis"))
        assert.strictEqual(ownLost.pollUnsafe(), undefined)
      }).pipe(Effect.scoped),
    60_000
  )
})
