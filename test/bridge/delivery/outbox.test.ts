/** The outbox at work, case by case: what the faults of the table do not reach. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { showData, showMissing } from "../../../src/bridge/delivery/asking.ts"
import { takeReceipt } from "../../../src/bridge/delivery/receipts.ts"
import { Journal } from "../../../src/bridge/journal/Journal.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { chatOf, makeWorld, runHost, textPiece, type WorldOptions } from "./scripted.ts"

const hour = 3_600_000
const account = "one"
const chat = chatOf(account, "1")

const begin = Effect.fnUntraced(function* (options: Omit<WorldOptions, "accountId"> = {}) {
  const journal = yield* (yield* Journal).own("test", account)
  const world = makeWorld({ ...options, accountId: account })
  const texts = () => world.chat.map(({ text }) => text)
  return { journal, world, texts, run: (forMs = 100_000) => runHost(journal, world, { forMs }) }
})

/** A journal of its own for each test. */
const fresh = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.scoped(body).pipe(Effect.provide(Layer.fresh(Journal.layer.pipe(Layer.provide(Store.layerMemory())))))

layer(Layer.empty)("the outbox", (it) => {
  it.effect("does not send unasked what is older than six hours, and asks once for all of it", () =>
    fresh(
      Effect.gen(function* () {
        const { journal, world, texts, run } = yield* begin()
        yield* journal.outbox.put([textPiece("a", chat), textPiece("b", chat)])
        yield* TestClock.adjust(7 * hour)
        yield* run()
        assert.strictEqual(texts().length, 1)
        assert.match(texts()[0] ?? "", /^An answer of \d\d:\d\d is here$/)
        assert.deepStrictEqual(world.chat[0]?.data, [showData("a")])
        const pressed = yield* Effect.forEach([showData("a"), showData("a"), "s:forged"], (data) =>
          showMissing(journal, chat, data)
        )
        assert.deepStrictEqual(pressed, ["shown", "there", "nothing"])
        assert.strictEqual(yield* showMissing(journal, chatOf(account, "2"), showData("a")), "nothing")
        yield* run()
        assert.deepStrictEqual(texts().slice(1), ["text of a", "text of b"])
      })
    )
  )

  it.effect("holds what a person must first write for, and sends it in order at any age", () =>
    fresh(
      Effect.gen(function* () {
        const { journal, texts, run } = yield* begin({ fault: (call) => (call === 0 ? { _tag: "Closed" } : "ok") })
        yield* journal.outbox.put([textPiece("a", chat), textPiece("b", chat)])
        yield* run()
        assert.deepStrictEqual(texts(), [])
        yield* TestClock.adjust(9 * hour)
        yield* journal.outbox.release(chat)
        yield* run()
        assert.deepStrictEqual(texts(), ["text of a", "text of b"])
      })
    )
  )

  it.effect("sends into the chat what a thread is gone for, and tells so once", () =>
    fresh(
      Effect.gen(function* () {
        const gone = { _tag: "Gone", what: "thread" } as const
        const { journal, world, run } = yield* begin({
          fault: (_call, _key, { threadId }) => (threadId === undefined ? "ok" : gone)
        })
        const thread = chatOf(account, "1", "7")
        yield* journal.outbox.put([textPiece("a", thread), textPiece("b", thread)])
        yield* run()
        const content = world.chat.map(({ to, text }) => [to.threadId, text.slice(0, 10)])
        assert.sameDeepMembers(content, [
          [undefined, "text of a"],
          [undefined, "text of b"],
          [undefined, "The thread"]
        ])
        assert.deepStrictEqual(yield* journal.marks.all("left-thread"), [])
      })
    )
  )

  it.effect("keeps what is refused for good, and tells so; a request goes past what waits", () =>
    fresh(
      Effect.gen(function* () {
        const { journal, texts, run } = yield* begin({
          fault: (_call, key) =>
            key === "a" ? { _tag: "Gone", what: "user" } : key === "b" ? { _tag: "Refused", description: "no" } : "ok"
        })
        yield* journal.outbox.put([textPiece("a", chat), textPiece("b", chat), textPiece("q", chat, "request")])
        yield* run()
        assert.deepStrictEqual(texts(), ["text of q", "An answer could not be delivered: the channel refuses it"])
        assert.strictEqual((yield* journal.outbox.counts).get("failed"), 2)
      })
    )
  )

  it.effect("takes the channel's later word: gone, closed or there", () =>
    fresh(
      Effect.gen(function* () {
        const { journal, world, texts, run } = yield* begin()
        yield* journal.outbox.put([textPiece("a", chat), textPiece("b", chat)])
        yield* run()
        const receipt = { _tag: "Receipt", updateId: "u" } as const
        const take = (one: { key?: string; messageId?: string; state: "sent" | "failed" | "closed" }) =>
          takeReceipt({ journal, channel: world.channel }, { ...receipt, ...one })
        assert.isTrue(yield* take({ key: "a", state: "failed" }))
        assert.isFalse(yield* take({ key: "a", state: "failed" }))
        assert.isFalse(yield* take({ key: "none", state: "sent" }))
        assert.isTrue(yield* take({ messageId: "m2", state: "closed" }))
        assert.strictEqual((yield* journal.outbox.get("b"))?.state, "held")
        yield* journal.outbox.release(chat)
        yield* run()
        assert.sameMembers(texts().slice(2), ["text of b", "An answer could not be delivered: the channel refuses it"])
      })
    )
  )

  const receipted = [
    ["waits half a minute for its receipt, also after a restart, and does not ask", true, "sent", []],
    ["asks half a minute later if no receipt came", true, undefined, ["An answer may be missing here"]],
    ["without a look asks at once, before its receipt", false, "sent", ["An answer may be missing here"]]
  ] as const
  it.effect.each(receipted)(
    "a piece of a channel that has receipts and no history %s",
    ([, canFind, state, questions]) =>
      fresh(
        Effect.gen(function* () {
          const fault = (call: number) => (call === 0 ? "cutAfter" : "ok")
          const { journal, world, texts, run } = yield* begin({
            canFind,
            fault,
            lookFault: () => ({ _tag: "Unknown" })
          })
          yield* journal.outbox.put([textPiece("a", chat)])
          yield* run(20_000)
          assert.deepStrictEqual<ReadonlyArray<string>>(texts().slice(1), canFind ? [] : questions)
          if (state !== undefined) {
            const receipt = { _tag: "Receipt", updateId: "u", key: "a", messageId: "m1", state } as const
            assert.isTrue(yield* takeReceipt({ journal, channel: world.channel }, receipt))
          }
          yield* run()
          assert.deepStrictEqual(texts(), ["text of a", ...questions])
          const first = world.calls[0]?.at ?? 0
          const [question] = world.chat.slice(1)
          if (canFind && question !== undefined) assert.isAtLeast(question.at, first + 30_000)
          assert.strictEqual(world.looks.length > 1, canFind && state === undefined)
          const row = yield* journal.outbox.get("a")
          assert.strictEqual(row?.state, state ?? "unknown")
        })
      )
  )

  it.effect("looks behind the newest message that is known, not before half a minute", () =>
    fresh(
      Effect.gen(function* () {
        const { journal, world, run } = yield* begin({
          canFind: true,
          fault: (call) => (call === 1 ? "cutAfter" : "ok")
        })
        yield* journal.outbox.put([textPiece("a", chat), textPiece("b", chat)])
        yield* run()
        assert.deepStrictEqual(world.looks, [{ key: "b", at: (world.calls[1]?.at ?? 0) + 30_000, after: "m1" }])
        assert.strictEqual((yield* journal.outbox.get("b"))?.messageId, "m2")
      })
    )
  )

  it.effect("repeats with a mark where that is wanted; a file is asked for by its name", () =>
    fresh(
      Effect.gen(function* () {
        const { journal, world, texts } = yield* begin({ fault: (call) => (call % 2 === 0 ? "cutAfter" : "ok") })
        yield* journal.outbox.put([textPiece("a", chat)])
        yield* runHost(journal, world, { forMs: 60_000, onUnknown: "again" })
        assert.deepStrictEqual(texts(), ["text of a", "(maybe again) text of a"])
        yield* journal.outbox.put([textPiece("f", chat, "answer", "/tmp/plan.pdf")])
        yield* runHost(journal, world, { forMs: 60_000, onUnknown: "again" })
        assert.deepStrictEqual(texts().slice(2), ["text of f", "The file plan.pdf may be missing here"])
        assert.deepStrictEqual(yield* journal.marks.all("repeated"), [])
      })
    )
  )
})
