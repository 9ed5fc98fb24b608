/** The numbers of homes: each has its own, and those of homes that were removed are used again when all are given out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claimHome, listHomes, mostHomes } from "../../src/cluster/homes.ts"
import { openIn, storeKinds } from "../conversations/store/stores.ts"

describe.each(storeKinds)("the number of a home in $name", ({ place }) => {
  it.live("is that of the home removed longest ago, once all are given out", () =>
    Effect.gen(function* () {
      const opened = yield* openIn(yield* place)
      const { sql, transact } = opened
      const claim = (name: string, id = `id-of-${name}`) =>
        claimHome({ ...opened, home: id }, { name, address: undefined, version: "1.0.0", clis: [], directories: [] })
      const set = (name: string, state: string, beat: number) =>
        transact(sql`update cluster_homes set state = ${state}, beat = ${beat} where name = ${name}`)
      yield* transact(
        Effect.forEach(
          Array.from({ length: mostHomes }, (_, at) => at + 1),
          (at) => claim(`h${at}`)
        )
      )
      const full = yield* Effect.flip(claim("new"))
      assert.include(full.message, "the cluster has 256 homes, the most that are possible")
      assert.include(full.message, "--remove-home NAME")
      yield* set("h7", "removed", 2)
      yield* set("h9", "removed", 1)
      assert.strictEqual(yield* claim("new"), 9)
      assert.strictEqual(yield* claim("newer"), 7)
      assert.strictEqual((yield* Effect.flip(claim("newest")))._tag, "ClusterError")
      // A returning home gets a free number, and its own name.
      yield* set("h1", "removed", 3)
      assert.strictEqual(yield* claim("h9"), 1)
      yield* set("h2", "removed", 4)
      assert.strictEqual(yield* claim("h2", "another"), 2)
      const slots = (yield* listHomes(opened)).map(({ slot }) => slot)
      assert.strictEqual(new Set(slots).size, slots.length)
    }).pipe(Effect.scoped)
  )
})
