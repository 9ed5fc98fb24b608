/** Access lists per account, changes of lists while the bridge serves, and initial settings of single chats. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Latch, Layer, Stream } from "effect"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import { withDefaults } from "../../src/bridge/ChatSettings.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { asksToClean as asks } from "../kit/asksToClean.ts"

const says = (input: string): AgentEvent => ({ type: "text", text: input })

const bridgeOf = (options: Partial<BridgeOptions>) =>
  Effect.gen(function* () {
    const layer = ChannelBridge.layer({
      agents: { test: TestRuntime.layer([says("one")]), other: TestRuntime.layer([says("two")]) },
      progress: "off",
      ...options
    }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))
    const bridge = Context.get(yield* Layer.build(layer), ChannelBridge)
    const at = Effect.fnUntraced(function* (accountId: string) {
      const scripted = ScriptedChannel.make({ accountId })
      yield* Effect.forkScoped(Effect.orDie(bridge.serve(scripted.channel)))
      const ours = (chat: string) => scripted.chat(chat).filter(({ isOurs }) => isOurs)
      return {
        ...scripted,
        ours,
        shown: (chat: string, part: string) =>
          scripted.until(() => ours(chat).find((message) => message.text.includes(part)))
      }
    })
    return { bridge, at }
  })

describe("access lists", () => {
  const ofOneEach = Effect.gen(function* () {
    const { at } = yield* bridgeOf({
      access: ({ accountId }) => (accountId === "a" ? { owners: ["ann"] } : { owners: ["bob"] })
    })
    const [a, b] = [yield* at("a"), yield* at("b")]
    yield* b.say("hello", { from: "ann" })
    yield* a.say("hello", { from: "bob" })
    yield* a.say("/whoami", { from: "ann" })
    yield* b.say("/whoami", { from: "bob" })
    yield* a.shown("ann", "owner")
    yield* b.shown("bob", "owner")
    assert.deepStrictEqual([a.ours("bob"), b.ours("ann")], [[], []])
  })

  it.live("apply to one account each", () => Effect.scoped(ofOneEach))

  it.live("apply to one account each where an application serves both in one layer, whose parts are shared", () =>
    Effect.scoped(Layer.build(Layer.effectDiscard(ofOneEach)))
  )

  it.live("can change while the bridge serves, also for open buttons", () =>
    Effect.gen(function* () {
      const { at, bridge } = yield* bridgeOf({
        agents: { test: TestRuntime.layer([asks, says("All clean.")]) },
        access: { owners: ["ann"], approvers: ["bob"], groups: { team: { mention: false } } }
      })
      const { say, press, shown: visible, until, chat, acknowledgements } = yield* at("a")
      yield* say("clean up", { from: "bob", chat: "team" })
      const request = yield* until(() => chat("team").find(({ buttons }) => buttons.includes("Allow")))
      yield* bridge.change({ access: { owners: ["ann"], groups: { team: { mention: false } } } })
      yield* press(request.messageId, "Allow", { from: "bob" })
      yield* until(() => (acknowledgements().length === 1 ? true : undefined))
      assert.isFalse(chat("team").some(({ text }) => text === "All clean."))
      yield* press(request.messageId, "Allow", { from: "ann" })
      yield* visible("team", "All clean.")
    }).pipe(Effect.scoped)
  )

  it.live("change nothing if they are invalid or empty", () =>
    Effect.gen(function* () {
      const { at, bridge } = yield* bridgeOf({ access: { owners: ["ann"] } })
      const { say, shown: visible, ours } = yield* at("a")
      yield* say("hello", { from: "ann" })
      yield* visible("ann", "one")
      for (const access of [{ owners: ["@bob"] }, {}]) {
        const { message } = yield* Effect.flip(bridge.change({ agent: "other", access }))
        assert.match(message, /owners.*(?:user names change hands|names no people)/)
      }
      yield* say("hello", { from: "bob" })
      yield* say("/agent", { from: "ann" })
      yield* visible("ann", "Agent: test")
      assert.deepStrictEqual(ours("bob"), [])
    }).pipe(Effect.scoped)
  )
})

describe("initial settings of a chat", () => {
  it.live("apply until people choose something else", () =>
    Effect.gen(function* () {
      const known = Latch.makeUnsafe(false)
      const works = () => Stream.fromEffect(Effect.as(known.await, says("two")))
      const { at, bridge } = yield* bridgeOf({
        agents: { test: TestRuntime.layer([says("one")]), other: TestRuntime.layer(works) },
        access: { owners: ["ann", "bob"] },
        chats: { ann: { agent: "other", progress: "brief" } }
      })
      const { say, shown: visible, ours } = yield* at("a")
      yield* say("/agent", { from: "ann" })
      yield* visible("ann", "Agent: other")
      yield* say("hello", { from: "ann" })
      yield* visible("ann", "is at work")
      known.openUnsafe()
      yield* visible("ann", "two")
      yield* visible("ann", "done")
      yield* say("hello", { from: "bob" })
      yield* visible("bob", "one")
      assert.strictEqual(ours("bob").length, 1)
      yield* say("/agent test", { from: "ann" })
      yield* say("hello again", { from: "ann" })
      yield* visible("ann", "one")
      yield* bridge.change({ chats: { bob: { agent: "other" } } })
      yield* say("/agent", { from: "bob" })
      yield* visible("bob", "Agent: other")
    }).pipe(Effect.scoped)
  )

  it.live("are refused if they name something that the bridge does not have", () =>
    Effect.gen(function* () {
      for (const [chats, expected] of [
        [{ ann: { agent: "othr" } }, /chats\.ann\.agent: "othr" is not known; did you mean "other"/],
        [{ ann: { directory: "shop" } }, /chats\.ann\.directory: "shop"/]
      ] as const) {
        const { message } = yield* Effect.flip(bridgeOf({ access: { owners: ["ann"] }, chats }))
        assert.match(message, expected)
      }
    }).pipe(Effect.scoped)
  )

  it("apply model and effort only to their agent", () => {
    const defaults = { agent: "one", model: "m", effort: "high", permissionMode: "plan", progress: "off" } as const
    assert.deepStrictEqual(withDefaults(defaults, {}), { agent: "one", model: "m", effort: "high", mode: "plan" })
    assert.deepStrictEqual(withDefaults(defaults, { agent: "two" }), { agent: "two", mode: "plan" })
    assert.deepStrictEqual(withDefaults(defaults, { agent: "one", model: "n" }), {
      ...{ agent: "one", model: "n", effort: "high", mode: "plan" }
    })
    assert.deepStrictEqual(withDefaults({ model: "m", agent: undefined }, { mode: "default" }), {
      ...{ model: "m", mode: "default" }
    })
  })
})
