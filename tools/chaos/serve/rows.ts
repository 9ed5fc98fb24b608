/** The store of a host: its size, and its unfinished rows. */
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import type { Room } from "../../../test/program/serve/room.ts"

/** Rows of each table. */
export type Counts = Readonly<Record<string, number>>

export const inStore = <A, E>(room: Room, use: (store: OpenStore) => Effect.Effect<A, E>): Promise<A> => {
  const layer = Store.layerFile({ directory: join(room.root, "state/reins/store"), allowNetworkFileSystem: true })
  return Effect.runPromise(
    Effect.scoped(Effect.flatMap(Layer.build(layer), (context) => use(Context.get(context, Store))))
  )
}

const tablesOf = ({ sql, read }: OpenStore) =>
  read(
    Effect.map(sql<{ name: string }>`select name from sqlite_schema where type = 'table' order by name`, (rows) =>
      rows.map(({ name }) => name).filter((name) => !/^sqlite_|migrations/.test(name))
    )
  )

export const countsOf = (store: OpenStore) =>
  Effect.gen(function* () {
    const counts: Array<readonly [string, number]> = []
    for (const name of yield* tablesOf(store)) {
      const [row] = yield* store.read(store.sql<{ count: number }>`select count(*) as count from ${store.sql(name)}`)
      counts.push([name, row?.count ?? 0])
    }
    return Object.fromEntries(counts) as Counts
  })

/** Ids of messages that are at their end. */
export const endedIds = ({ sql, read }: OpenStore) =>
  read(
    Effect.map(
      sql<{ id: string }>`select update_id as id from inbox where state in ('done', 'dropped')`,
      (rows): ReadonlySet<string> => new Set(rows.map(({ id }) => id.split("/").at(-1) ?? ""))
    )
  )
