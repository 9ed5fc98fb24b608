/** A feed over scripted events, with the time of a test: resume, heartbeats, ends, and what is left behind. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Queue, Ref, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { makeEventFeed, stamped } from "../../../src/agents/EventFeed.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { EventFeedOptions, Stamped } from "../../../src/contract/EventFeed.ts"

const text = (words: string): AgentEvent => ({ type: "text", text: words })

/** A feed whose events come when the test says so. */
const makeFed = Effect.fnUntraced(function* (options: EventFeedOptions = {}) {
  const queue = yield* Queue.make<AgentEvent, never>()
  const isLeft = yield* Ref.make(false)
  const events = Stream.fromQueue(queue).pipe(Stream.ensuring(Ref.set(isLeft, true)))
  const feed = yield* makeEventFeed(events, options)
  const give = (...input: ReadonlyArray<AgentEvent>) => Effect.andThen(Queue.offerAll(queue, input), settled)
  return { feed, give, end: Effect.andThen(Queue.shutdown(queue), settled), isLeft: Ref.get(isLeft) }
})

/** All fibers have done what they can without time. */
const settled = TestClock.adjust(0)

const received = Effect.fnUntraced(function* <A>(stream: Stream.Stream<A>) {
  const items: Array<A> = []
  const fiber = yield* Effect.forkScoped(Stream.runForEach(stream, (item) => Effect.sync(() => items.push(item))))
  yield* settled
  return { items, fiber }
})

const textsOf = (items: ReadonlyArray<Stamped>) =>
  items.map(({ position, event }) => `${position} ${event.type === "text" ? event.text : event.type}`)

describe("a feed", () => {
  it.effect("gives late readers all, those that come back the rest, and everyone what follows", () =>
    Effect.gen(function* () {
      const { feed, give, end } = yield* makeFed()
      const early = yield* received(feed.after())
      yield* give(text("a"), text("b"))
      yield* TestClock.adjust(1_000)
      yield* give(text("c"))
      const late = yield* received(feed.after())
      const again = yield* received(feed.after(2))
      yield* give(text("d"))
      assert.deepStrictEqual(textsOf(early.items), ["1 a", "2 b", "3 c", "4 d"])
      assert.deepStrictEqual(textsOf(late.items), ["1 a", "2 b", "3 c", "4 d"])
      assert.deepStrictEqual(textsOf(again.items), ["3 c", "4 d"])
      assert.deepStrictEqual(
        late.items.map(({ at }) => at),
        [0, 0, 1_000, 1_000]
      )
      yield* end
      yield* Fiber.join(again.fiber)
      assert.deepStrictEqual(textsOf((yield* received(feed.after(3))).items), ["4 d"])
    })
  )

  it.effect("is silent for no longer than a heartbeat, and ends with the events", () =>
    Effect.gen(function* () {
      const { feed, give, end } = yield* makeFed({ heartbeatMs: 5_000 })
      const { items, fiber } = yield* received(feed.text())
      yield* TestClock.adjust(4_999)
      assert.deepStrictEqual(items.splice(0), [":\n\n"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(items.splice(0), [":\n\n"])
      yield* give(text("a"))
      yield* TestClock.adjust(4_999)
      assert.deepStrictEqual(items.splice(0), ['id: 1\ndata: {"type":"text","text":"a"}\n\n'])
      yield* TestClock.adjust(5_001)
      assert.deepStrictEqual(items.splice(0), [":\n\n", ":\n\n"])
      yield* end
      yield* Fiber.join(fiber)
    })
  )

  it.effect("tells a reader that is too late how many events are gone", () =>
    Effect.gen(function* () {
      const { feed, give } = yield* makeFed({ keep: 1_000 })
      const slow = yield* received(Stream.mapEffect(feed.after(), (item) => Effect.as(Effect.sleep("1 second"), item)))
      for (let at = 1; at <= 50; at++) yield* give(text(`${at} ${"x".repeat(300)}`))
      yield* TestClock.adjust("1 minute")
      const positions = slow.items.map(({ position }) => position)
      assert.deepStrictEqual(positions, [1, 47, 48, 49, 50])
      assert.deepInclude(slow.items[1]?.event, {
        type: "notice",
        message: "46 events before this were dropped: they are not kept any more",
        data: { events: 46 }
      })
    })
  )

  it.effect("closes its source after an idle time without readers, and tells later readers", () =>
    Effect.gen(function* () {
      const { feed, give, isLeft } = yield* makeFed({ abandonAfterMs: 10_000 })
      const { items, fiber } = yield* received(feed.after())
      yield* TestClock.adjust(60_000)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(9_000)
      const other = yield* received(feed.after())
      yield* TestClock.adjust(60_000)
      yield* give(text("a"))
      yield* Fiber.interrupt(other.fiber)
      yield* TestClock.adjust(9_999)
      assert.isFalse(yield* isLeft)
      yield* TestClock.adjust(1)
      assert.isTrue(yield* isLeft)
      assert.isEmpty(items)
      const late = yield* received(feed.after())
      yield* Fiber.join(late.fiber)
      assert.deepStrictEqual(textsOf(late.items), ["1 a", "2 notice"])
    })
  )

  it.effect("closes its source also if it never had a reader", () =>
    Effect.gen(function* () {
      const { isLeft } = yield* makeFed({ abandonAfterMs: 10_000 })
      yield* TestClock.adjust(10_000)
      assert.isTrue(yield* isLeft)
    })
  )

  it.effect("leaves them with its scope, and its readers come to their end", () =>
    Effect.gen(function* () {
      const { feed, reader } = yield* Effect.scoped(
        Effect.gen(function* () {
          const { feed, give, isLeft } = yield* makeFed()
          yield* Effect.addFinalizer(() => Effect.map(isLeft, (left) => assert.isFalse(left)))
          yield* give(text("a"))
          const reader = yield* Effect.forkDetach(Stream.runCollect(feed.after()))
          yield* settled
          return { feed, reader }
        })
      )
      assert.deepStrictEqual(textsOf(yield* Fiber.join(reader)), ["1 a"])
      assert.strictEqual(feed.response({ headers: { "last-event-id": "1" } }).status, 204)
    })
  )

  it.effect("sends what `encode` makes of an event", () =>
    Effect.gen(function* () {
      const encode = ({ position, at, event }: Stamped) => (event.type === "text" ? { position, at } : undefined)
      const { feed, give, end } = yield* makeFed({ encode })
      yield* give(text("a"), { type: "unknown", raw: { secret: 1 } })
      yield* end
      const frames = [":\n\n", 'id: 1\ndata: {"position":1,"at":0}\n\n', "id: 2\n\n"]
      assert.deepStrictEqual(yield* Stream.runCollect(feed.text()), frames)
    })
  )

  it.effect("hands a defect of its events to its readers", () =>
    Effect.gen(function* () {
      const feed = yield* makeEventFeed(Stream.concat(Stream.make(text("a")), Stream.die("broken")))
      assert.deepStrictEqual(yield* Effect.exit(Stream.runDrain(feed.after())), Exit.die("broken"))
      const last = yield* Stream.runHead(feed.after())
      assert.deepInclude(last.valueOrUndefined?.event, { text: "a" })
    })
  )

  it.effect("is refused for invalid numbers", () =>
    Effect.gen(function* () {
      for (const options of [{ keep: 0 }, { heartbeatMs: Number.NaN }, { abandonAfterMs: 2 ** 31 }]) {
        const cause = yield* Effect.flip(Effect.sandbox(makeEventFeed(Stream.empty, options)))
        assert.match(String(Cause.squash(cause)), /is not a number above 0/)
      }
    })
  )
})

describe("the response", () => {
  it.effect("ends the reconnecting of a client that has all, and gives the rest to one that has not", () =>
    Effect.gen(function* () {
      const { feed, give, end } = yield* makeFed()
      yield* give(text("a"), text("b"))
      const last = { headers: { "last-event-id": "2" } }
      const open = feed.response(last)
      assert.strictEqual(open.status, 200)
      yield* Effect.promise(() => open.body?.cancel() ?? Promise.resolve())
      yield* end
      assert.strictEqual(feed.response(last).status, 204)
      const rest = feed.response({ headers: new Headers({ "last-event-id": "1" }) })
      assert.strictEqual(rest.headers.get("content-type"), "text/event-stream; charset=utf-8")
      assert.strictEqual(yield* Effect.promise(() => rest.text()), ':\n\nid: 2\ndata: {"type":"text","text":"b"}\n\n')
    })
  )

  it.effect("a request without reading, such as HEAD, does not count as a reader", () =>
    Effect.gen(function* () {
      const { feed, give, isLeft } = yield* makeFed({ abandonAfterMs: 10_000 })
      yield* give(text("a"))
      const unread = feed.response()
      const read = feed.response()
      const reader = read.body?.getReader()
      yield* Effect.promise(async () => [await reader?.read(), await reader?.read()])
      yield* TestClock.adjust(60_000)
      assert.isFalse(yield* isLeft)
      yield* Effect.promise(async () => reader?.cancel())
      yield* TestClock.adjust(10_000)
      assert.isTrue(yield* isLeft)
      assert.strictEqual(unread.status, 200)
    })
  )

  it.effect("is one for Effect's own HTTP server, too", () =>
    Effect.gen(function* () {
      const { feed, give, end } = yield* makeFed()
      yield* give(text("a"))
      const served = HttpServerResponse.toWeb(HttpServerResponse.fromWeb(feed.response()))
      assert.strictEqual(served.headers.get("content-type"), "text/event-stream; charset=utf-8")
      const body = yield* Effect.forkScoped(Effect.promise(() => served.text()))
      yield* settled
      yield* end
      assert.strictEqual(yield* Fiber.join(body), ':\n\nid: 1\ndata: {"type":"text","text":"a"}\n\n')
    })
  )

  it.effect("holds the bytes of few frames for a client that stalls", () =>
    Effect.gen(function* () {
      const { feed, give } = yield* makeFed()
      const words = "ä".repeat(250_000)
      yield* give(...Array.from({ length: 60 }, () => text(words)))
      const before = process.memoryUsage().arrayBuffers
      const reader = feed.response().body?.getReader()
      const frame = yield* Effect.promise(async () => {
        await reader?.read()
        const { value } = (await reader?.read()) ?? {}
        await new Promise(setImmediate)
        return value?.length ?? 0
      })
      const held = process.memoryUsage().arrayBuffers - before
      assert.isAbove(frame, 500_000)
      assert.isBelow(held, 5 * frame)
      yield* Effect.promise(async () => reader?.cancel())
    })
  )

  it.effect("of a feed that ended without events is over at once", () =>
    Effect.gen(function* () {
      const { feed, end } = yield* makeFed()
      yield* end
      assert.strictEqual(feed.response().status, 204)
    })
  )
})

it.effect("stamped: positions from 1, and the time", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(5)
    const stamps = yield* Stream.runCollect(stamped(Stream.make(text("a"), text("b"))))
    assert.deepStrictEqual(stamps, [
      { position: 1, at: 5, event: text("a") },
      { position: 2, at: 5, event: text("b") }
    ])
  })
)
