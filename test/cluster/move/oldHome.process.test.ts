/** The files of a session that was moved are still at its old home: it must not be resumed there. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../../src/conversations/store/Store.ts"
import { isOnItsWay, refuseMoved } from "../../../src/conversations/turns/lookUp.ts"
import { conversing, testAgent } from "../../conversations/kit.ts"
import { hasPostgres } from "../../kit/postgres.ts"
import { addClaude, askMove, type Home, openHomes, perform, sessionOf } from "./homes.ts"
import { claudeId } from "./kit.ts"

const runsAt = Effect.fnUntraced(function* (home: Home, plays: Parameters<typeof testAgent>[0] = [{}]) {
  const agent = testAgent(plays)
  const { run } = yield* home.at(Effect.provideService(conversing(agent), Store, home.store))
  return { agent, run: (params: object) => home.at(run({ prompt: "go on", ...params })) }
})

const tagOf = <A, R>(run: Effect.Effect<A, { readonly reason: { readonly _tag: string } }, R>) =>
  Effect.match(run, { onFailure: ({ reason }) => reason._tag, onSuccess: () => "completed" })

describe.skipIf(!hasPostgres)("the old home of a session", () => {
  it.live("does not go on with it, by its id or its conversation; the new one does", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      const { sql, transact } = from.store
      const mark = { conversation: '["billing"]', cli: "claude", session_key: "key-1" }
      yield* transact(sql`insert into conversations ${sql.insert(mark)}`)
      const old = yield* runsAt(from)
      const fresh = yield* runsAt(to)
      const byConversation = { conversation: "billing" }
      const byId = { sessionId: claudeId, workingDirectory: work }
      assert.strictEqual(yield* tagOf(old.run(byConversation)), "completed")
      assert.strictEqual(yield* tagOf(old.run(byId)), "completed")
      yield* askMove(from, to, work)
      for (const step of [perform(from), perform(to)]) {
        yield* step
        for (const how of [byConversation, byId]) {
          assert.strictEqual(yield* tagOf(old.run(how)), "SessionElsewhere")
        }
      }
      assert.lengthOf(
        old.agent.calls.filter(({ isSpawned }) => isSpawned),
        2
      )
      assert.strictEqual(yield* tagOf(fresh.run(byConversation)), "completed")
      assert.deepInclude(fresh.agent.calls[0]?.params, { sessionId: claudeId, workingDirectory: work })
      assert.strictEqual((yield* sessionOf(from))?.home, to.store.home)
    }).pipe(Effect.scoped)
  )

  it.live("does not begin with it when it left while the run waited for it", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      yield* askMove(from, to, work)
      // Found by the run, and gone when its gates are asked.
      assert.isUndefined(yield* refuseMoved(from.store, "claude", claudeId))
      assert.isFalse(isOnItsWay((yield* sessionOf(from))?.home ?? ""))
      yield* perform(from)
      assert.isTrue(isOnItsWay((yield* sessionOf(from))?.home ?? ""))
      const reason = yield* Effect.flip(refuseMoved(from.store, "claude", claudeId))
      assert.strictEqual(reason._tag, "SessionElsewhere")
      assert.isUndefined(yield* refuseMoved(from.store, "claude", "another"))
      assert.isUndefined(yield* refuseMoved(to.store, "claude", claudeId))
      yield* perform(to)
      yield* askMove(to, from, work, "back")
      yield* perform(to)
      yield* perform(from)
      assert.isUndefined(yield* refuseMoved(from.store, "claude", claudeId))
    }).pipe(Effect.scoped)
  )
})
