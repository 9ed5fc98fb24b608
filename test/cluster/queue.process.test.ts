/** A home's view of its queue, on every kind of store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openHere } from "../../src/cluster/queue.ts"
import { enqueueTurn } from "../../src/conversations/turns/turnRows.ts"
import { openIn, storeKinds } from "../conversations/store/stores.ts"

describe.each(storeKinds)("the queue of a home in $name", ({ place }) => {
  it.live("shows the first turn of each conversation, however many wait in another", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* place)
      const { sql, transact, home } = store
      const put = (turnId: string, conversation: string, at: number, forHome = home) =>
        enqueueTurn(store, { turnId, conversation, cli: "claude", prompt: "p", digest: "d", forHome, params: "{}" }, at)
      yield* transact(
        Effect.gen(function* () {
          for (let at = 1; at <= 600; at += 1) yield* put(`long${at}`, "long", at)
          yield* put("late", "late", 1_000)
          yield* put("later", "late", 1_001)
          yield* put("alone", "", 1_002)
          yield* put("alone too", "", 1_003)
          yield* put("elsewhere", "other", 0, "another home")
          yield* put("at work", "busy", 2_000)
          yield* sql`update turns set state = 'spawned' where turn_id = 'at work'`
          yield* sql`update turns set state = 'done' where turn_id = 'long1'`
        })
      )
      assert.deepStrictEqual(
        (yield* openHere(store)).map(({ turnId }) => turnId),
        ["at work", "long2", "late", "alone", "alone too"]
      )
    }).pipe(Effect.scoped)
  )
})
