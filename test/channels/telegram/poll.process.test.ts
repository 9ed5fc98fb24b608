/** Updates: confirmed behind the journal, through every failure, and never twice at once. Time is virtual. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import type { Channel, Heard } from "../../../src/bridge/messages/Channel.ts"
import { Telegram } from "../../../src/channels/telegram/Telegram.ts"
import { TelegramServer } from "../../../src/testing/Scoped.ts"
import type { TelegramFault } from "../../../src/testing.ts"
import { ann, asTimePasses, listenTo, overheard, pieceOf, place, start, textOf, untilTrue } from "./kit.ts"

/** Takes so many, each in its order. */
const take = (channel: Channel, count: number, mark?: string) =>
  Stream.runCollect(
    Stream.take(
      Stream.tap(channel.incoming(mark), ({ confirm }) => confirm),
      count
    )
  )

const polls = (tg: TelegramServer) => tg.calls().filter(({ method }) => method === "getUpdates")

describe("polls of Telegram", () => {
  it.live("confirm what is in the journal, and nothing before", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.say("one")
      tg.say("two")
      const received: Array<Heard> = []
      yield* Effect.forkScoped(
        Stream.runForEach(channel.incoming(undefined), (each) => Effect.sync(() => void received.push(each)))
      )
      yield* Effect.promise(() => tg.until(() => (polls(tg)[0]?.outcome === "answered" ? true : undefined)))
      while (received.length < 2) yield* Effect.yieldNow
      tg.say("three")
      yield* received[1]?.confirm ?? Effect.void
      yield* received[1]?.confirm ?? Effect.void
      // A poll that was sent would have come before these.
      for (let time = 0; time < 3; time++) yield* channel.working?.(place) ?? Effect.void
      assert.deepStrictEqual([tg.confirmed(), polls(tg).length], [0, 1])
      yield* received[0]?.confirm ?? Effect.void
      yield* Effect.promise(() => tg.until(() => (tg.confirmed() === 2 ? true : undefined)))
      while (received.length < 3) yield* Effect.yieldNow
      assert.deepStrictEqual(received.map(textOf), ["one", "two", "three"])
    }).pipe(Effect.scoped)
  )

  const faults: ReadonlyArray<readonly [string, TelegramFault]> = [
    ["a cut", "cutAfter"],
    ["a cut before it", "cutBefore"],
    ["502 with HTML", "badGateway"],
    ["half an answer", "invalidJson"],
    ["no answer at all", "hang"],
    ["429", { retryAfter: 4 }],
    ["another reader", "conflict"],
    ["a refusal that is not known", { code: 400, description: "Bad Request: something" }]
  ]
  it.effect.each(faults)("go on behind %s, and nothing is lost", ([, fault]) =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.fail("getUpdates", fault, 3)
      tg.say("one")
      tg.say("two")
      const received = yield* asTimePasses(take(channel, 2), 5_000)
      assert.deepStrictEqual(received.map(textOf), ["one", "two"])
      assert.isAtLeast(polls(tg).length, 4)
    }).pipe(Effect.scoped)
  )

  it.effect("say once that another program reads, and that Telegram was not reached", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.fail("getUpdates", "conflict", 5)
      tg.fail("getUpdates", "badGateway", 20)
      tg.say("one")
      yield* asTimePasses(take(channel, 1), 5_000)
      assert.strictEqual(lines.filter((line) => line.includes("another program reads")).length, 1)
      assert.strictEqual(lines.filter((line) => line.includes("five minutes")).length, 1)
      assert.strictEqual(lines.filter((line) => line.includes("reached again")).length, 1)
      const [first, second] = polls(tg)
      assert.isAtLeast((second?.at ?? 0) - (first?.at ?? 0), 5_000)
    }).pipe(Effect.scoped, Effect.provide(overheard(lines)))
  })

  it.live("end with the token, in calls that are open as well, and sends wait for the next one", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      const ending = yield* Effect.forkScoped(Effect.flip(Stream.runDrain(channel.incoming(undefined))))
      yield* Effect.promise(() => tg.until(() => (tg.listeners() === 1 ? true : undefined)))
      tg.revoke()
      const error = yield* Fiber.join(ending)
      assert.include(error.message, "refuses the token")
      assert.include(error.help ?? "", "BotFather")
      const failure = yield* Effect.flip(channel.send(place, pieceOf(channel, "x"), "k"))
      assert.strictEqual(failure.reason._tag, "Unreachable")
      const again = yield* Effect.flip(Telegram.channel({ token: tg.token, apiRoot: tg.url }))
      assert.include(again.message, "refuses the token")
    }).pipe(Effect.scoped)
  )

  it.live("end where a send finds that the token is refused", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      const ending = yield* Effect.forkScoped(Effect.flip(Stream.runDrain(channel.incoming(undefined))))
      yield* Effect.promise(() => tg.until(() => (tg.listeners() === 1 ? true : undefined)))
      tg.fail("sendMessage", "unauthorized")
      yield* Effect.flip(channel.send(place, pieceOf(channel, "x"), "k"))
      assert.include((yield* Fiber.join(ending)).message, "refuses the token")
    }).pipe(Effect.scoped)
  )

  it.live("pass over what is of no known kind or cannot be read, and take ids that jump back", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.hear({ message: { text: "no chat" } })
      tg.hear({ something_new: { a: "x".repeat(100_000) } })
      tg.say("one")
      const { heard: received, until } = yield* listenTo(channel)
      yield* until(1)
      yield* untilTrue(() => tg.pending().length === 0)
      const from = { id: ann, is_bot: false }
      tg.hear({
        update_id: 5,
        message: { message_id: 77, date: 1, chat: { id: ann, type: "private" }, text: "two", from }
      })
      yield* until(2)
      tg.say("three")
      yield* until(3)
      assert.deepStrictEqual(received.map(textOf), ["one", "two", "three"])
    }).pipe(Effect.scoped)
  )

  it.effect("begin where Telegram is not there yet, and hear as soon as it is", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const tg = yield* TelegramServer.make()
      yield* Effect.promise(tg.down)
      const channel = yield* Telegram.channel({ token: tg.token, apiRoot: tg.url })
      const received = yield* Effect.forkChild(asTimePasses(take(channel, 1), 1_000))
      yield* Effect.promise(tg.up)
      tg.say("hello @test_bot")
      assert.deepStrictEqual((yield* Fiber.join(received)).map(textOf), ["hello @test_bot"])
      assert.strictEqual(lines.filter((line) => line.includes("cannot be reached yet")).length, 1)
    }).pipe(Effect.scoped, Effect.provide(overheard(lines)))
  })

  it.live("offer the commands in the menu, where that is possible", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start({}, { menu: true })
      tg.say("one")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.forkScoped(Stream.runDrain(channel.incoming(undefined)))
          yield* Effect.promise(() => tg.until(() => tg.commands().find(({ command }) => command === "stop")))
        })
      )
      assert.deepStrictEqual(tg.violations(), [])
    }).pipe(Effect.scoped)
  )
})
