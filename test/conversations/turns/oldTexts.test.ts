/** A host that goes on for weeks keeps no text for longer than its store is told to, and no run for ever. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../../src/conversations/store/Store.ts"
import { keepTextsYoung } from "../../../src/conversations/turns/oldTexts.ts"
import { openIn } from "../store/stores.ts"

const day = 24 * 3_600_000

describe("turns of a host that goes on", () => {
  it.effect("lose their texts after a week, and their runs after a quarter more", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1e12)
      const store = yield* openIn(Store.layerMemory())
      const { sql, transact, read } = store
      yield* Effect.forkScoped(keepTextsYoung(store))
      yield* TestClock.adjust(1)
      const [turn_id, run_id] = ["t", "r"]
      const own = { turn_id, cli: "claude" }
      const turn = { ...own, conversation: "c", seq: 1, state: "done", prompt: "secret", digest: "d", created: 1e12 }
      const run = { ...own, run_id, started: 1e12, ended: 1e12, home: "h", host: "h", pid: 1 }
      yield* transact(
        Effect.andThen(
          sql`insert into turns ${sql.insert({ ...turn, ended: 1e12 })}`,
          sql`insert into runs ${sql.insert(run)}`
        )
      )
      const prompts = read(sql<object>`select prompt from turns`)
      const runs = read(sql<object>`select run_id from runs`)
      yield* TestClock.adjust(6 * day)
      assert.deepStrictEqual(yield* prompts, [{ prompt: "secret" }])
      yield* TestClock.adjust(2 * day)
      assert.deepStrictEqual(yield* prompts, [{ prompt: null }])
      yield* TestClock.adjust(80 * day)
      assert.deepStrictEqual(yield* runs, [{ run_id }])
      yield* TestClock.adjust(12 * day)
      assert.deepStrictEqual(yield* runs, [])
      assert.deepStrictEqual(yield* prompts, [{ prompt: null }])
    }).pipe(Effect.scoped)
  )
})
