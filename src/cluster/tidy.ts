/** What the cluster keeps for a while alone: events for callers, messages of the engine, attachments of old turns. */
import { Clock, Effect, Schedule } from "effect"
import { Snowflake } from "effect/cluster"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { removeOldEvents } from "./eventLog.ts"

const dayMs = 24 * 60 * 60_000

/** The engine's ids begin with their time. */
const idAt = (ms: number) => String(BigInt(Math.max(0, ms - Snowflake.constEpochMillis)) << 22n)

const tidy = (store: OpenStore) =>
  Effect.gen(function* () {
    const { sql, transact, keep, kind } = store
    const now = yield* Clock.currentTimeMillis
    yield* removeOldEvents(store)
    if (Number.isFinite(keep.turnsMs))
      yield* transact(sql`delete from blobs where created < ${Math.floor(now - keep.turnsMs)}`)
    if (kind !== "postgres") return
    // By text: the store's numbers are those of JavaScript.
    const before = sql`cast(${idAt(now - dayMs)} as text)::bigint`
    yield* transact(sql`delete from cluster_replies where id < ${before}`)
    yield* transact(sql`delete from cluster_messages where processed and id < ${before}`)
  }).pipe(
    Effect.catch((error) => Effect.logWarning(`what is old of the cluster is still in the store: ${error.message}`))
  )

export const keepTidy = (store: OpenStore) => Effect.repeat(tidy(store), Schedule.spaced("1 hour"))
