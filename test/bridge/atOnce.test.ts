/** The limit of agents that are open at once, and what people see of a message that waits for a place. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../src/contract/AgentOpenParams.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { makePlaces } from "../../src/conversations/turns/places.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })

/** An agent that works on prompts with "long" until it is released. Counts its open sessions and runs. */
const counted = Effect.gen(function* () {
  const [begun, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const count = { open: 0, most: 0, opened: 0 }
  const enter = Effect.acquireRelease(
    Effect.sync(() => {
      count.open += 1
      count.opened += 1
      count.most = Math.max(count.most, count.open)
    }),
    () =>
      Effect.sync(() => {
        count.open -= 1
      })
  )
  const scripted = TestRuntime.layer(({ prompt }) =>
    prompt.includes("long")
      ? Stream.fromEffect(
          Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(release)), Effect.as(text("long done")))
        )
      : [text(`heard: ${prompt}`)]
  )
  const agent = Layer.effect(
    AgentRuntime,
    Effect.map(AgentRuntime, (runtime) => ({
      ...runtime,
      open: (params?: AgentOpenParams) => Effect.andThen(enter, runtime.open(params)),
      execute: ((...input: Parameters<typeof runtime.execute>) =>
        Stream.scoped(Stream.unwrap(Effect.as(enter, runtime.execute(...input))))) as typeof runtime.execute // of one output
    }))
  ).pipe(Layer.provide(scripted))
  return { agent, count, begun: Deferred.await(begun), release: Deferred.succeed(release, undefined) }
})

const people = Array.from({ length: 40 }, (_, at) => `p${at}`)
const access = { owners: ["ann"], users: people }

describe("agents that are open at once", () => {
  it.live.each([true, false])("are limited, and everyone is answered (live sessions: %s)", (live) =>
    Effect.gen(function* () {
      const { agent, count } = yield* counted
      const { say, shown: visible } = yield* (yield* bridgeOf(agent, { access, live, limits: { total: 3 } }))()
      for (const from of people) yield* say(`one of ${from}`, { from })
      for (const from of people) yield* visible(from, `heard: one of ${from}`)
      // Live sessions stay open: the limit is reached.
      if (live) assert.strictEqual(count.most, 3)
      assert.isAtMost(count.most, 3)
      assert.isAtLeast(count.opened, people.length)
      // A session that was closed for others is reopened by the next message.
      yield* say("two", { from: "p0" })
      yield* visible("p0", "heard: two")
      assert.isAtMost(count.most, 3)
    }).pipe(Effect.scoped)
  )

  it.live("are ten by default", () =>
    Effect.gen(function* () {
      const { agent, count } = yield* counted
      const { say, shown: visible } = yield* (yield* bridgeOf(agent, { access }))()
      for (const from of people) yield* say("hello", { from })
      for (const from of people) yield* visible(from, "heard: hello")
      assert.strictEqual(count.most, 10)
    }).pipe(Effect.scoped)
  )

  it.live("make messages of others wait, which can be dropped, and start when a place is free", () =>
    Effect.gen(function* () {
      const { agent, count, begun, release } = yield* counted
      const options = { access, limits: { total: 1 } }
      const { say, press, shown: visible, until, acknowledgements, ours } = yield* (yield* bridgeOf(agent, options))()
      yield* say("long", { from: "ann" })
      yield* begun
      yield* say("one", { from: "p1" })
      const { messageId, buttons } = yield* visible("p1", "Queued · 1")
      assert.deepStrictEqual(buttons, ["Drop", "Now"])
      yield* say("two", { from: "p2" })
      const second = yield* visible("p2", "Queued · 1")
      yield* say("/status", { from: "p2" })
      yield* visible("p2", "1 waiting. 1 agent is open, which is the limit.")
      yield* press(second.messageId, "Now", { from: "p2" })
      yield* until(() => acknowledgements()[0])
      yield* press(messageId, "Drop", { from: "p1" })
      yield* until(() => acknowledgements()[1])
      assert.deepStrictEqual(
        acknowledgements().map((each) => each.text),
        ["It is next in this chat, and starts as soon as an agent is free.", "Dropped before it started."]
      )
      assert.strictEqual(count.opened, 1)
      yield* release
      yield* visible("p2", "heard: two")
      assert.strictEqual(count.most, 1)
      assert.isFalse(ours("p1").some((message) => message.text.startsWith("heard")))
    }).pipe(Effect.scoped)
  )

  it.live("also make messages of `handle` wait, which can be stopped", () =>
    Effect.gen(function* () {
      const { agent, count, begun, release } = yield* counted
      const layer = ChannelBridge.layer({ agents: { test: agent }, limits: { total: 1 } })
      const built = yield* Layer.build(Layer.provide(layer, [Store.layerMemory(), nodePlatform]))
      const { handle } = Context.get(built, ChannelBridge)
      const message = (chatId: string, input: string): ChannelMessage => ({
        ...{ conversation: { channel: "own", accountId: "a", chatId }, updateId: `${chatId}/${input}`, text: input },
        ...{ sentAt: 0, attachments: [], addressed: true, chat: "direct", sender: { id: chatId, isBot: false } }
      })
      const first = yield* Effect.forkChild(handle(message("a", "long")))
      yield* begun
      const stopping = new AbortController()
      const second = yield* Effect.forkChild(handle(message("b", "stopped"), {}, stopping.signal))
      const third = yield* Effect.forkChild(handle(message("c", "one")))
      stopping.abort()
      assert.strictEqual((yield* Fiber.join(second)).run.outcome, "aborted")
      assert.strictEqual(count.opened, 1)
      yield* release
      assert.strictEqual((yield* Fiber.join(first)).payloads[0]?.text, "long done")
      assert.strictEqual((yield* Fiber.join(third)).payloads[0]?.text, "heard: one")
      assert.strictEqual(count.most, 1)
    }).pipe(Effect.scoped)
  )
})

describe("a place", () => {
  it.effect(
    "is given in the order of requests; a session is closed only if it is idle and another conversation waits",
    () =>
      Effect.gen(function* () {
        const closed: Array<string> = []
        const working = yield* Deferred.make<void>()
        const places = yield* makePlaces(2, (conversation) => Effect.sync(() => void closed.push(conversation)))
        const a = places.claim("a")
        const keep = yield* places.keep("a")
        keep({ idle: Deferred.await(working) })
        const b = places.claim("b")
        yield* b.leave
        yield* a.leave
        yield* Effect.yieldNow
        assert.deepStrictEqual(closed, [], "no conversation waits")
        const [c, d, e] = [places.claim("c"), places.claim("d"), places.claim("e")]
        assert.deepStrictEqual([c.isReady(), d.isReady(), e.isReady()], [true, false, false])
        yield* Effect.yieldNow
        assert.deepStrictEqual(closed, [], "it goes on by itself")
        yield* d.leave
        yield* c.leave
        yield* e.ready
        const again = places.claim("a")
        assert.isTrue(again.isReady(), "it has its place still")
        const f = places.claim("f")
        yield* Deferred.succeed(working, undefined)
        yield* Effect.yieldNow
        assert.deepStrictEqual(closed, [], "it is working again")
        yield* again.leave
        yield* Effect.yieldNow
        yield* Effect.yieldNow
        assert.deepStrictEqual(closed, ["a"])
        assert.isFalse(f.isReady(), "nothing of it is left only when its scope has closed")
        yield* e.leave
        yield* f.ready
      }).pipe(Effect.scoped)
  )
})
