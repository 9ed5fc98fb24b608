/** Withdrawn requests, for every CLI value that asks: they get no answer, and their handlers are aborted. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { Approvals } from "../../src/index.ts"
import { askers, assertWhole, content, ended, open, requested, script, turnsDone, typed } from "../kit/live.ts"

describe.each(askers)("%s", (id) => {
  it.live("withdraws a request: its handler is aborted, and a late answer has no effect", () =>
    Effect.gen(function* () {
      const aborted = yield* Deferred.make<void>()
      const approvals = [
        Approvals.ask((_, { signal }) => {
          signal.addEventListener("abort", () => Deferred.doneUnsafe(aborted, Effect.void))
          return Effect.never
        })
      ]
      const { session, begin, log, close } = yield* open(id, { approvals })
      yield* begin({ ask: { id: "a", command: "run a" } }, { withdraw: "a" }, { say: "-" }, { tell: true })
      const { requestId } = yield* requested(log, "run a")
      yield* Deferred.await(aborted)
      assert.isFalse(yield* session.decide(requestId, { decision: "allow" }))
      yield* turnsDone(log, 1)
      assert.deepStrictEqual(content(log.events), ["-"])
      assert.deepInclude(typed(log.events, "permission_decision")[0], { decision: "withdrawn", by: "agent" })
      yield* close
      yield* ended(log)
      assertWhole(log.events)
    })
  )

  it.live("ends a turn while it asks: the request is withdrawn", () =>
    Effect.gen(function* () {
      const { session, log, turn } = yield* open(id, { approvals: [Approvals.ask()] })
      assert.strictEqual(yield* session.send(script({ ask: { id: "a", command: "run a" } }, { hang: true })), "started")
      const { requestId } = yield* requested(log, "run a")
      assert.isTrue(yield* session.interrupt)
      assert.isFalse(yield* session.decide(requestId, { decision: "allow" }))
      yield* turnsDone(log, 1)
      const again = yield* turn({ say: "next" })
      assert.deepStrictEqual(content(again), ["next"])
      assert.strictEqual(typed(log.events, "permission_decision").length, 1)
    })
  )
})
