/** A channel that has put its account off is not asked by the next host either, until the time is over. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { Channel } from "../../src/bridge/messages/Channel.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { openIn } from "../conversations/store/stores.ts"

const hostOn = Effect.fnUntraced(function* (store: Store["Service"], channel: Channel) {
  const scope = yield* Scope.make()
  const layer = ChannelBridge.layer({
    agents: { test: TestRuntime.layer([{ type: "text", text: "well" }]) },
    access: { owners: ["ann"] },
    progress: "edit",
    onInterrupted: "again"
  }).pipe(Layer.provide([Layer.succeed(Store, store), nodePlatform]))
  const { serve } = Context.get(yield* Scope.provide(Layer.build(Layer.fresh(layer)), scope), ChannelBridge)
  yield* Scope.provide(Effect.forkScoped(Effect.orDie(serve(channel))), scope)
  return Scope.close(scope, Exit.void)
})

const passing = (isSo: () => boolean) =>
  Effect.gen(function* () {
    for (let steps = 0; !isSo(); steps++) {
      assert.isBelow(steps, 1_500)
      yield* TestClock.adjust("100 millis")
      yield* TestClock.withLive(Effect.sleep(1))
    }
  })

describe("a wait that a channel asks for", () => {
  it.effect.each(["chat", "account"] as const)("outlives the host (scope: %s)", (scope) =>
    Effect.gen(function* () {
      const store = yield* openIn(Store.layerMemory())
      const scripted = ScriptedChannel.make()
      const sends = () => scripted.calls().filter(({ method }) => method === "send").length
      scripted.fail("send", { _tag: "TooFast", retryAfterMs: 60_000, scope })
      const end = yield* hostOn(store, scripted.channel)
      yield* scripted.say("hello")
      yield* passing(() => sends() === 1)
      yield* end
      const endNext = yield* hostOn(store, scripted.channel)
      yield* scripted.say("hello again")
      yield* passing(() => scripted.chat("ann").filter(({ text }) => text === "well").length === 2)
      assert.deepStrictEqual(scripted.violations(), [])
      yield* endNext
    }).pipe(Effect.scoped)
  )
})
