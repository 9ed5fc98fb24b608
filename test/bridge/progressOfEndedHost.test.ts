/** The progress message of a host that ends while it sends it: no message stays at work for ever. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { Channel } from "../../src/bridge/messages/Channel.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { openIn, storeKinds } from "../conversations/store/stores.ts"

/** A host on `channel`; the result ends it. */
const hostOn = Effect.fnUntraced(function* (store: Store["Service"], channel: Channel) {
  const scope = yield* Scope.make()
  const layer = ChannelBridge.layer({
    agents: { test: TestRuntime.layer(Stream.never) },
    access: { owners: ["ann"] },
    onInterrupted: "again"
  }).pipe(Layer.provide([Layer.succeed(Store, store), nodePlatform]))
  const { serve } = Context.get(yield* Scope.provide(Layer.build(Layer.fresh(layer)), scope), ChannelBridge)
  yield* Scope.provide(Effect.forkScoped(Effect.orDie(serve(channel))), scope)
  return Scope.close(scope, Exit.void)
})

const atWork = (text: string) => text.startsWith("⏳")

describe("the progress message of a host that has ended", () => {
  it.live("while it sent the message is marked by the next one", () =>
    Effect.gen(function* () {
      const [memory] = storeKinds
      const store = yield* openIn(yield* memory?.place ?? Effect.die("no store"))
      const scripted = ScriptedChannel.make()
      const ours = () => scripted.chat("ann").filter(({ isOurs }) => isOurs)
      const sent = yield* Deferred.make<void>()
      const answered = yield* Deferred.make<void>()
      const slow: Channel = {
        ...scripted.channel,
        send: (to, piece, key) =>
          Effect.tap(scripted.channel.send(to, piece, key), () =>
            atWork(piece.text)
              ? Effect.andThen(Deferred.succeed(sent, undefined), Deferred.await(answered))
              : Effect.void
          )
      }
      const end = yield* hostOn(store, slow)
      yield* scripted.say("hello")
      yield* Deferred.await(sent)
      const ending = yield* Effect.forkScoped(end, { startImmediately: true })
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(ending)
      const [left] = ours()
      assert.isTrue(left !== undefined && atWork(left.text))
      const endNext = yield* hostOn(store, scripted.channel)
      yield* scripted.until(() => (ours().some(({ text }) => text.startsWith("■ interrupted")) ? true : undefined))
      const marked = ours().find(({ messageId }) => messageId === left?.messageId)
      assert.deepStrictEqual([marked?.text.startsWith("■ interrupted"), marked?.buttons], [true, []])
      yield* endNext
    }).pipe(Effect.scoped)
  )

  it.live("without a trace loses its button when a person presses it", () =>
    Effect.gen(function* () {
      const [memory] = storeKinds
      const store = yield* openIn(yield* memory?.place ?? Effect.die("no store"))
      const scripted = ScriptedChannel.make()
      const ours = () => scripted.chat("ann").filter(({ isOurs }) => isOurs)
      // As of a host that was killed before it could note the message.
      const conversation = { channel: scripted.channel.id, accountId: scripted.channel.accountId, chatId: "ann" }
      const [piece] = scripted.channel.render({ text: "⏳ test · 0 s", buttons: [[{ label: "Stop", data: "x:gone" }]] })
      if (piece !== undefined) yield* scripted.channel.send(conversation, piece, "left")
      const end = yield* hostOn(store, scripted.channel)
      const [left] = ours()
      yield* scripted.press(left?.messageId ?? "", "Stop")
      const over = yield* scripted.until(() => ours().find(({ text }) => text === "■ over"))
      assert.deepStrictEqual([over.messageId, over.buttons], [left?.messageId, []])
      yield* end
    }).pipe(Effect.scoped)
  )
})
