/** Pairing by a code on the host's terminal; a bridge without people does not start. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { openIn } from "../conversations/store/stores.ts"

/** A bridge whose lists are empty. */
const served = Effect.fnUntraced(function* (
  options: Omit<Partial<BridgeOptions>, "agents"> = {},
  store: Layer.Layer<Store> = Layer.orDie(Store.layerMemory())
) {
  const scripted = ScriptedChannel.make()
  const agent = TestRuntime.layer(({ prompt }) => [{ type: "text", text: `heard: ${prompt}` }])
  const layer = ChannelBridge.layer({ agents: { test: agent }, progress: "off", ...options })
  const { serve } = Context.get(yield* Layer.build(Layer.provide(layer, [store, nodePlatform])), ChannelBridge)
  return { ...scripted, serving: serve(scripted.channel) }
})

const paired = Effect.fnUntraced(function* (store?: Layer.Layer<Store>) {
  const visible = yield* Deferred.make<string>()
  const bridge = yield* served({ pair: (code) => Effect.asVoid(Deferred.succeed(visible, code)) }, store)
  yield* Effect.forkScoped(Effect.orDie(bridge.serving))
  const code = yield* Deferred.await(visible)
  const ours = (chat: string) => bridge.chat(chat).filter(({ isOurs }) => isOurs)
  return {
    ...bridge,
    code,
    ours,
    shown: (chat: string, part: string) => bridge.until(() => ours(chat).find(({ text }) => text.includes(part)))
  }
})

describe("a bridge without listed people", () => {
  it.live("does not start, and says what to do", () =>
    Effect.gen(function* () {
      const { serving } = yield* served()
      const error = yield* Effect.flip(serving)
      assert.strictEqual(error._tag, "AccessError")
      assert.include(error.message, "List your own id, or start with pairing")
    }).pipe(Effect.scoped)
  )

  it.live("gets an owner by the code, also after a restart", () =>
    Effect.gen(function* () {
      const store = Layer.succeed(Store, yield* openIn(Store.layerMemory()))
      yield* Effect.gen(function* () {
        const { say, shown: visible, code, ours } = yield* paired(store)
        yield* say("hello", { from: "eve" })
        yield* say(code, { from: "zoe", chat: "team" })
        yield* say(`/start ${code}`, { from: "zoe" })
        yield* visible("zoe", "You are the owner now.")
        yield* say("work", { from: "zoe" })
        yield* visible("zoe", "heard: work")
        yield* say(code, { from: "eve" })
        yield* say("work", { from: "eve" })
        yield* say("again", { from: "zoe" })
        yield* visible("zoe", "heard: again")
        assert.deepStrictEqual([...ours("eve"), ...ours("team")], [])
      }).pipe(Effect.scoped)
      const { say, serving, until, chat } = yield* served({}, store)
      yield* Effect.forkScoped(Effect.orDie(serving))
      yield* say("back", { from: "zoe" })
      yield* until(() => chat("zoe").find(({ text }) => text === "heard: back"))
    }).pipe(Effect.scoped)
  )

  it.live("cannot be paired after five wrong codes", () =>
    Effect.gen(function* () {
      const { say, code, ours, confirmed, until } = yield* paired()
      for (let at = 0; at < 5; at++) yield* say(`22222-2222${at + 2}`, { from: "eve" })
      yield* say(code, { from: "zoe" })
      yield* until(() => (confirmed() === 6 ? true : undefined))
      assert.deepStrictEqual([...ours("eve"), ...ours("zoe")], [])
    }).pipe(Effect.scoped)
  )

  it.effect("cannot be paired after ten minutes", () =>
    Effect.gen(function* () {
      const { say, code, ours, confirmed } = yield* paired()
      yield* TestClock.adjust("10 minutes")
      yield* say(code, { from: "zoe" })
      while (confirmed() === 0) yield* TestClock.withLive(Effect.sleep(5))
      assert.deepStrictEqual(ours("zoe"), [])
    }).pipe(Effect.scoped)
  )

  it.live("keeps its code out of every log and row", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(JSON.stringify(message)))
      const store = yield* openIn(Store.layerMemory())
      const { code } = yield* Effect.gen(function* () {
        const bridge = yield* paired(Layer.succeed(Store, store))
        yield* bridge.say(bridge.code, { from: "zoe" })
        yield* bridge.shown("zoe", "You are the owner now.")
        return bridge
      }).pipe(Effect.provide(Logger.layer([logger])))
      const tables = ["inbox", "outbox", "bridge_members", "bridge_marks"]
      const rows = yield* Effect.forEach(tables, (table) =>
        store.read(store.sql<object>`select * from ${store.sql(table)}`)
      )
      for (const text of [...lines, JSON.stringify(rows)]) assert.notInclude(text, code)
      assert.include(JSON.stringify(rows), "zoe")
    }).pipe(Effect.scoped)
  )
})
