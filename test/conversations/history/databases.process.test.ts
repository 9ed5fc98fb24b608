// Each question that a history asks is one that every database understands.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { SessionHistory } from "../../../src/conversations/SessionHistory.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { storeKinds } from "../store/stores.ts"

const session = {
  key: "k1",
  home: "h",
  cli: "claude",
  session_id: "s1",
  conversation: '["c1"]',
  origin: "reins",
  state: "live",
  created: 1,
  used: Date.now(),
  expires: Date.now() + 1e9
}

describe.each(storeKinds)("the history of sessions: $name", ({ place }) => {
  it.live("is listed, read, exported, changed and forgotten", () =>
    Effect.gen(function* () {
      const layer = SessionHistory.layer.pipe(Layer.provideMerge(yield* place))
      yield* Effect.gen(function* () {
        const {
          list,
          get,
          events,
          export: exported,
          rename,
          fork,
          archive,
          adopt,
          clear,
          forget
        } = yield* SessionHistory
        const { sql, transact, read } = yield* Store
        yield* transact(
          Effect.gen(function* () {
            yield* sql`insert into sessions ${sql.insert(session)}`
            yield* sql`insert into conversations ${sql.insert({ conversation: '["c1"]', cli: "claude", session_key: "k1" })}`
            const event = JSON.stringify({ type: "text", text: "hello" })
            yield* sql`insert into transcript ${sql.insert({ session_key: "k1", position: 1, run_id: "r", at: 1, event })}`
          })
        )
        const ref = { conversation: "c1", cli: "claude" }
        const filters = [{}, { all: true, cli: "claude", conversation: "c1", limit: 3 }]
        for (const filter of filters) assert.strictEqual((yield* Stream.runCollect(list(filter))).length, 1)
        for (const name of ["k1", "k", "s1"]) assert.strictEqual((yield* get(name)).id, "k1")
        assert.strictEqual((yield* Stream.runCollect(events(ref, { follow: false })))[0]?.event.type, "text")
        for (const format of ["markdown", "json"] as const) {
          assert.include([...(yield* Stream.runCollect(exported(ref, format)))].join(""), "hello")
        }
        assert.strictEqual((yield* rename(ref, "title")).title, "title")
        yield* fork(ref, { conversation: "c2" })
        // It has no session of its own yet: who forgets it does not forget that of another conversation.
        const notMade = yield* Effect.flip(forget({ conversation: "c2", cli: "claude" }))
        assert.strictEqual(notMade.reason._tag, "UnknownSession")
        assert.strictEqual((yield* get(ref)).id, "k1")
        assert.strictEqual((yield* archive("k1")).state, "archived")
        yield* adopt("k1", { conversation: "c3" })
        yield* clear("c2")
        yield* forget("k1")
        const left = yield* read(
          sql`select 1 from sessions union all select 1 from transcript union all select 1 from conversations`
        )
        assert.strictEqual(left.length, 0)
      }).pipe(Effect.provide(layer))
    })
  )
})
