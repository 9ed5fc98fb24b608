/** Side effects of an agent's tools are reported for its own turn, once, and never delay an answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeDrain, sideEffectsOf } from "../../../src/bridge/gateway/sideEffects.ts"
import { noSideEffects } from "../../../src/bridge/messages/AgentDeliveryResult.ts"
import { StoreError, StoreRefused } from "../../../src/contract/StoreError.ts"
import { callOf, conversation, turnOf, withBench } from "./gatewayOf.ts"

const target = { tool: "send_message", provider: "test", accountId: "bot", to: "1" }

describe("side effects", () => {
  it.effect("are texts, targets and schedules of one turn, with what became of them", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const { journal } = bench
        const { id } = yield* callOf(bench, "send_message", { text: "one" })
        bench.turn = turnOf("t2")
        yield* callOf(bench, "send_message", { text: "two" })
        yield* journal.schedules.put({ id: "s", conversation, turnId: "t2", person: "ann", runAt: 1, prompt: "look" })
        yield* journal.outbox.sending(`${id}/0`, undefined)
        yield* journal.outbox.sent(`${id}/0`, "m1")
        assert.deepStrictEqual(yield* sideEffectsOf(journal, "t1"), {
          sentTexts: ["one"],
          sentMediaUrls: [],
          sentTargets: [target],
          cronAdds: 0,
          sent: [{ target, text: "one", mediaUrls: [], state: "delivered", at: 0 }]
        })
        const second = yield* sideEffectsOf(journal, "t2")
        assert.deepInclude(second, { sentTexts: ["two"], cronAdds: 1 })
        assert.deepStrictEqual(yield* sideEffectsOf(journal, "t3"), noSideEffects)
      })
    )
  )

  it.effect("are drained once, and never by the next turn", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const { journal } = bench
        const first = makeDrain(journal, "t1")
        const second = makeDrain(journal, "t2")
        const texts = (drain: typeof first) => Effect.map(drain, ({ sentTexts }) => sentTexts)
        yield* callOf(bench, "send_message", { text: "one" })
        yield* journal.schedules.put({ id: "s", conversation, turnId: "t1", person: "ann", runAt: 1, prompt: "look" })
        assert.deepInclude(yield* first, { sentTexts: ["one"], cronAdds: 1 })
        assert.deepStrictEqual(yield* first, noSideEffects)
        yield* callOf(bench, "send_message", { text: "late" })
        bench.turn = turnOf("t2")
        yield* callOf(bench, "send_message", { text: "two" })
        assert.deepStrictEqual(yield* texts(second), ["two"])
        assert.deepStrictEqual(yield* texts(first), ["late"])
        assert.deepStrictEqual([yield* texts(first), yield* texts(second)], [[], []])
      })
    )
  )

  it.effect("are nothing where they cannot be read; the next drain has them", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        yield* callOf(bench, "send_message", { text: "one" })
        const { sends, schedules } = bench.journal
        const refused = new StoreError({ reason: new StoreRefused({ place: "p", problem: "is gone", cure: "" }) })
        for (const problem of [Effect.fail(refused), Effect.die(new Error("torn"))]) {
          let isGone = true
          const journal = {
            sends: { ofTurn: (id: string) => (isGone ? problem : sends.ofTurn(id)) },
            schedules
          }
          const drain = makeDrain(journal, "t1")
          assert.deepStrictEqual(yield* sideEffectsOf(journal, "t1"), noSideEffects)
          assert.deepStrictEqual(yield* drain, noSideEffects)
          isGone = false
          assert.deepStrictEqual((yield* drain).sentTexts, ["one"])
        }
      })
    )
  )
})
