/** A bridge that serves scripted channels. */
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { StoreError } from "../../src/contract/StoreError.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel, type ScriptedChannelOptions } from "../../src/testing/ScriptedChannel.ts"

/** Ann is the owner, Bob a user, `team` a group. */
export const bridgeOf = Effect.fnUntraced(function* (
  agent: BridgeOptions["agents"][string],
  options: Partial<BridgeOptions> = {},
  store: Layer.Layer<Store, StoreError> = Store.layerMemory()
) {
  const layer = ChannelBridge.layer({
    agents: { test: agent },
    access: { owners: ["ann"], users: ["bob"], groups: { team: { mention: false } } },
    progress: "off",
    whileBusy: "queue",
    ...options
  }).pipe(Layer.provide([store, nodePlatform]))
  const { serve } = Context.get(yield* Layer.build(layer), ChannelBridge)
  return Effect.fnUntraced(function* (input: ScriptedChannelOptions = {}) {
    const scripted = ScriptedChannel.make(input)
    yield* Effect.forkScoped(Effect.orDie(serve(scripted.channel)))
    const ours = (chat: string) => scripted.chat(chat).filter(({ isOurs }) => isOurs)
    return {
      ...scripted,
      ours,
      shown: (chat: string, part: string) =>
        scripted.until(() => ours(chat).find((message) => message.text.includes(part))),
      /** Like `shown`, with a test clock that advances while it waits. */
      seen: Effect.fnUntraced(function* (chat: string, part: string) {
        while (true) {
          const found = ours(chat).find((message) => message.text.includes(part))
          if (found !== undefined) return found
          yield* TestClock.adjust("200 millis")
          yield* TestClock.withLive(Effect.sleep(1))
        }
      })
    }
  })
})
