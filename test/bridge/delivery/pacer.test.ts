/** A channel is written to within its budgets and never in a time that it has put off; nothing waits for ever. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { type Call, callKinds } from "../../../src/bridge/delivery/budgets.ts"
import { makePacer } from "../../../src/bridge/delivery/pacer.ts"
import { SendError, TooFastScope } from "../../../src/bridge/messages/SendError.ts"

const minute = 60_000
const tooFast = (retryAfterMs: number, scope: TooFastScope = "chat") =>
  new SendError({ reason: { _tag: "TooFast", retryAfterMs, scope } })

/** The largest number of times within a span, wherever it begins. */
const mostWithin = (times: ReadonlyArray<number>, spanMs: number) =>
  times.reduce((most, from) => Math.max(most, times.filter((at) => at >= from && at < from + spanMs).length), 0)

/** Calls that note when they went. */
const noting = Effect.gen(function* () {
  const went: Array<Call & { readonly name: string; readonly at: number }> = []
  const noted = (name: string, call: Call) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      went.push({ ...call, name, at })
    })
  return { went, noted }
})

const direct = (kind: Call["kind"], chatId = "1"): Call => ({ kind, chatId, chat: "direct" })
const group = (kind: Call["kind"], chatId = "g"): Call => ({ kind, chatId, chat: "group" })

describe("the pacer", () => {
  it.effect("lets acknowledgements go first, then requests, answers, removals and progress", () =>
    Effect.gen(function* () {
      const pacer = yield* makePacer({ allPerSecond: 1 })
      const { went, noted } = yield* noting
      yield* pacer.run(direct("answer"), Effect.void)
      for (const kind of callKinds.toReversed())
        yield* Effect.forkChild(pacer.run(direct(kind), noted(kind, direct(kind))))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(
        went.map(({ kind }) => kind),
        ["acknowledgement"]
      )
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(
        went.map(({ kind }) => kind),
        [...callKinds]
      )
      assert.isAtMost(
        mostWithin(
          went.slice(1).map(({ at }) => at),
          1_000
        ),
        1
      )
    })
  )

  it.effect(
    "lets only a burst go in a direct chat, and where it is not known what the chat is, at the pace of both",
    () =>
      Effect.gen(function* () {
        const pacer = yield* makePacer({ directPerMinute: 60, directBurst: 5, groupPerMinute: 20 })
        const { went, noted } = yield* noting
        const calls: ReadonlyArray<Call> = [
          direct("answer", "d"),
          { kind: "answer", chatId: "?" },
          group("answer", "g")
        ]
        for (const call of calls)
          for (let index = 0; index < 40; index++) yield* Effect.forkChild(pacer.run(call, noted("", call)))
        for (let second = 0; second < 61; second++) yield* TestClock.adjust("1 second")
        const timesOf = (chat: string) => went.filter(({ chatId }) => chatId === chat).map(({ at }) => at)
        assert.deepStrictEqual(
          [timesOf("d"), timesOf("?"), timesOf("g")].map(({ length }) => length),
          [40, 25, 40]
        )
        assert.strictEqual(mostWithin(timesOf("d"), 5_000), 5)
        assert.strictEqual(mostWithin(timesOf("?"), 5_000), 5)
        assert.strictEqual(mostWithin(timesOf("?"), minute), 20)
        assert.strictEqual(mostWithin(timesOf("g"), minute), 20)
      })
  )

  it.effect("lets a burst go that is larger than the messages of a minute, and earns it back at their pace", () =>
    Effect.gen(function* () {
      const pacer = yield* makePacer({ directPerMinute: 10, directBurst: 45 })
      const { went, noted } = yield* noting
      for (let index = 0; index < 100; index++)
        yield* Effect.forkChild(pacer.run(direct("answer"), noted("", direct("answer"))))
      yield* TestClock.adjust(0)
      assert.strictEqual(went.length, 45)
      for (let at = 0; at < 10; at++) yield* TestClock.adjust("1 minute")
      const times = went.map(({ at }) => at)
      assert.strictEqual(times.length, 100)
      assert.isAtMost(mostWithin(times, 4.5 * minute), 45)
    })
  )

  it.effect("holds the edits of all chats where the channel says so, and nothing else", () =>
    Effect.gen(function* () {
      const holds: Array<unknown> = []
      const pacer = yield* makePacer({}, { onHold: (hold) => Effect.sync(() => void holds.push(hold)) })
      const { went, noted } = yield* noting
      const edit = (chatId: string): Call => ({ ...direct("progress", chatId), isEdit: true })
      yield* Effect.flip(pacer.run(edit("1"), Effect.fail(tooFast(5_000, "allEdits"))))
      for (const [name, call] of [
        ["same chat", edit("1")],
        ["other chat", edit("2")],
        ["send", direct("answer", "1")],
        ["press", direct("acknowledgement", "1")]
      ] as const)
        yield* Effect.forkChild(pacer.run(call, noted(name, call)))
      yield* TestClock.adjust(4_999)
      assert.sameMembers(
        went.map(({ name }) => name),
        ["send", "press"]
      )
      yield* TestClock.adjust(2)
      assert.sameMembers(
        went.slice(2).map(({ name }) => name),
        ["same chat", "other chat"]
      )
      assert.deepStrictEqual(holds, [{ scope: "allEdits", chatId: undefined, until: 5_001 }])
      const next = yield* makePacer({}, { holds: [{ scope: "allEdits", chatId: undefined, until: 9_000 }] })
      yield* Effect.forkChild(next.run(edit("3"), noted("after a restart", edit("3"))))
      yield* TestClock.adjust(0)
      assert.strictEqual(went.length, 4)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(went.at(-1)?.name, "after a restart")
    })
  )

  it.effect("lets only so many edits of all chats go in a minute, and leaves some for a request", () =>
    Effect.gen(function* () {
      const pacer = yield* makePacer({ editsPerMinute: 8 })
      const { went, noted } = yield* noting
      const edit = (kind: Call["kind"], chatId: string): Call => ({ ...direct(kind, chatId), isEdit: true })
      for (let chat = 0; chat < 20; chat++)
        yield* Effect.forkChild(pacer.run(edit("progress", `${chat}`), noted("edit", edit("progress", `${chat}`))))
      yield* Effect.forkChild(pacer.run(direct("answer"), noted("send", direct("answer"))))
      yield* TestClock.adjust("30 seconds")
      yield* Effect.forkChild(pacer.run(edit("request", "r"), noted("request", edit("request", "r"))))
      yield* TestClock.adjust(0)
      const names = went.map(({ name }) => name)
      assert.sameMembers(names, [...Array(6).fill("edit"), "send", "request"])
      yield* TestClock.adjust("10 minutes")
      const edits = went.flatMap(({ name, at }) => (name === "send" ? [] : [at]))
      assert.strictEqual(edits.length, 21)
      assert.strictEqual(mostWithin(edits, minute), 8)
    })
  )

  it.effect("leaves room in a group for an answer, whatever progress is written", () =>
    Effect.gen(function* () {
      const pacer = yield* makePacer({ groupPerMinute: 20 })
      const { went, noted } = yield* noting
      for (let index = 0; index < 40; index++)
        yield* Effect.forkChild(pacer.run(group("progress"), noted("progress", group("progress"))))
      yield* TestClock.adjust("30 seconds")
      const before = went.length
      yield* Effect.forkChild(pacer.run(group("answer"), noted("answer", group("answer"))))
      yield* TestClock.adjust(0)
      assert.strictEqual(went.at(-1)?.name, "answer")
      assert.strictEqual(before, 15)
      yield* TestClock.adjust("3 minutes")
      assert.strictEqual(went.length, 41)
      assert.isAtMost(
        mostWithin(
          went.map(({ at }) => at),
          minute
        ),
        20
      )
    })
  )

  it.effect("holds what the channel names, as long as it says, and tells of a long one once, afterwards", () =>
    Effect.gen(function* () {
      const reported: Array<unknown> = []
      const onHeld = (hold: unknown) => Effect.sync(() => void reported.push(hold))
      const pacer = yield* makePacer({}, { onHeld })
      const { went, noted } = yield* noting
      const go = (name: string, call: Call) => Effect.forkChild(pacer.run(call, noted(name, call)))
      const refused = (call: Call, error: SendError) => Effect.flip(pacer.run(call, Effect.fail(error)))
      yield* refused(direct("answer", "1"), tooFast(90_000, "chat"))
      yield* refused({ ...direct("progress", "2"), isEdit: true }, tooFast(5_000, "edits"))
      yield* go("same chat", direct("answer", "1"))
      yield* go("edit", { ...direct("progress", "2"), isEdit: true })
      yield* go("send", direct("answer", "2"))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(
        went.map(({ name }) => name),
        ["send"]
      )
      yield* TestClock.adjust(5_001)
      yield* refused(direct("answer", "3"), tooFast(10_000, "account"))
      yield* go("press", direct("acknowledgement", "4"))
      yield* go("other chat", direct("answer", "4"))
      yield* TestClock.adjust(9_999)
      assert.deepStrictEqual(
        went.map(({ name }) => name),
        ["send", "edit"]
      )
      yield* TestClock.adjust(2)
      assert.deepStrictEqual(
        went.map(({ name }) => name),
        ["send", "edit", "press", "other chat"]
      )
      assert.deepStrictEqual(reported, [])
      yield* TestClock.adjust("2 minutes")
      assert.deepInclude(went.at(-1), { name: "same chat", at: 90_001 })
      assert.deepStrictEqual(reported, [{ scope: "chat", chatId: "1", heldMs: 90_001 }])
    })
  )

  it.effect("lets nothing starve: progress goes in the end, however many answers there are", () =>
    Effect.gen(function* () {
      const pacer = yield* makePacer({ allPerSecond: 1 })
      const { went, noted } = yield* noting
      yield* Effect.forkChild(pacer.run(direct("progress", "p"), noted("progress", direct("progress"))))
      const busy = yield* Effect.forkChild(
        Effect.forEach(
          ["a", "b", "c", "d"],
          (chatId) => Effect.forever(pacer.run(direct("answer", chatId), noted(chatId, direct("answer", chatId)))),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.repeat(TestClock.adjust(0), { times: 20 })
      yield* TestClock.adjust("3 minutes")
      yield* Fiber.interrupt(busy)
      assert.isAtMost(went.find(({ name }) => name === "progress")?.at ?? Number.POSITIVE_INFINITY, 2 * minute)
      const counts = ["a", "b", "c", "d"].map((chatId) => went.filter(({ name }) => name === chatId).length)
      assert.isAtMost(Math.max(...counts) - Math.min(...counts), 2)
    })
  )

  it.effect("takes an interrupted call back, and forgets chats that are quiet", () =>
    Effect.gen(function* () {
      const pacer = yield* makePacer({ directPerMinute: 1 })
      const begun = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        pacer.run(direct("answer"), Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      )
      yield* Deferred.await(begun)
      const second = yield* Effect.forkChild(pacer.run(direct("answer"), Effect.never))
      yield* TestClock.adjust("5 minutes")
      yield* Fiber.interrupt(second)
      yield* Fiber.interrupt(first)
      const { went, noted } = yield* noting
      yield* Effect.forkChild(pacer.run(direct("answer"), noted("third", direct("answer"))))
      for (let second = 0; second < 61; second++) yield* TestClock.adjust("1 second")
      assert.strictEqual(went.length, 1)
      for (let index = 0; index < 500; index++) yield* pacer.run(direct("answer", `q${index}`), Effect.void)
      yield* TestClock.adjust("2 minutes")
      yield* pacer.run(direct("answer"), Effect.void)
      yield* TestClock.adjust("1 second")
      yield* pacer.run(direct("answer", "2"), Effect.void)
      assert.isAtMost(pacer.size(), 3)
    })
  )
})

const Wish = Schema.Struct({
  kind: Schema.Literals(callKinds),
  chat: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
  inMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_000 })),
  takesMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3_000 })),
  isEdit: Schema.Boolean,
  refused: Schema.Literals([0, 0, 0, 0, 2_000, 30_000, 70_000]),
  scope: TooFastScope
})

it.effect.prop(
  "any calls and refusals: within the budgets, never in a time that is put off, all in the end",
  [Schema.Array(Wish)],
  ([calls]) =>
    Effect.gen(function* () {
      const pacer = yield* makePacer({ allPerSecond: 3, directPerMinute: 10, groupPerMinute: 5, editsPerMinute: 4 })
      const paced: Array<{ readonly at: number; readonly chatId: string; readonly isEdit: boolean }> = []
      const holds: Array<{ readonly from: number; readonly until: number; readonly holds: (call: Call) => boolean }> =
        []
      let bad = 0
      let done = 0
      for (const { kind, chat, inMs, takesMs, isEdit, refused, scope } of calls) {
        const call: Call = { kind, chatId: `${chat}`, chat: chat % 2 === 0 ? "direct" : "group", isEdit }
        const attempt = Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          if (holds.some((hold) => hold.from < at && at < hold.until && hold.holds(call))) bad += 1
          yield* Effect.sleep(takesMs)
          // Somewhere between its begin and its end; the latest is the hardest.
          if (kind !== "acknowledgement") paced.push({ at: at + takesMs, chatId: call.chatId, isEdit })
          done += 1
          if (refused === 0) return
          const from = at + takesMs
          const same = (other: Call) => other.chatId === call.chatId && other.kind !== "acknowledgement"
          const covers = {
            account: () => true,
            chat: same,
            edits: (other: Call) => same(other) && other.isEdit === true,
            allEdits: (other: Call) => other.kind !== "acknowledgement" && other.isEdit === true
          }[scope]
          holds.push({ from, until: from + refused, holds: covers })
          return yield* tooFast(refused, scope)
        })
        yield* Effect.forkChild(Effect.ignore(Effect.andThen(Effect.sleep(inMs), pacer.run(call, attempt))))
      }
      yield* TestClock.adjust("3 hours")
      assert.strictEqual(bad, 0)
      assert.strictEqual(done, calls.length)
      const all = paced.map(({ at }) => at)
      assert.isAtMost(mostWithin(all, 1_000), 3)
      const edits = paced.flatMap(({ at, isEdit }) => (isEdit ? [at] : []))
      assert.isAtMost(mostWithin(edits, minute), 4)
      for (const chat of [0, 1, 2, 3]) {
        const times = paced.filter(({ chatId }) => chatId === `${chat}`).map(({ at }) => at)
        assert.isAtMost(mostWithin(times, minute), chat % 2 === 0 ? 10 : 5)
      }
    })
)
