// One store, whatever it is on: what a transaction promises, and what is kept.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { StoreError } from "../../src/contract/StoreError.ts"
import { Store } from "../../src/store/Store.ts"
import { makeDirectory } from "../kit/temporary.ts"

const stores: ReadonlyArray<readonly [string, () => Layer.Layer<Store, StoreError>]> = [
  ["memory", () => Store.layerMemory()],
  ["a file", () => Layer.unwrap(Effect.map(makeDirectory, (directory) => Store.layerFile({ directory })))]
]

describe.each(stores)("a store: %s", (_name, layer) => {
  it.effect("has its tables", () =>
    Effect.gen(function* () {
      const { sql, transact, read } = yield* Store
      const key = "k"
      yield* transact(
        sql`insert into sessions ${sql.insert({ key, home: "h", cli: "claude", session_id: "s", origin: "reins", state: "live", created: 1, used: Date.now() })}`
      )
      const rows = yield* read(
        sql<{ used: number; turns: number }>`select used, turns from sessions where key = ${key}`
      )
      assert.strictEqual(rows[0]?.turns, 0)
      assert.isAbove(rows[0]?.used ?? 0, 1e12)
    }).pipe(Effect.provide(layer()))
  )
})
