/** A bridge keeps its guarantees with each lack of a channel, and on each kind of store. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Scope, Stream } from "effect"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel, type ScriptedChannelOptions } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { openIn, storeKinds } from "../conversations/store/stores.ts"
import { asksToClean as asks } from "../kit/asksToClean.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })

const channelKinds: Readonly<Record<string, ScriptedChannelOptions>> = {
  "with everything": {},
  "without edits": { lacks: ["edit", "remove"] },
  "without a search": { lacks: ["find"] },
  "without confirmation": { lacks: ["confirmation"] },
  "without buttons": { lacks: ["buttons"] },
  "with short messages": { limits: { text: 200 } },
  "without anything": { lacks: ["edit", "remove", "find", "confirmation", "buttons", "download"] }
}

/** An agent that works until it is released, asks, or repeats its prompt. */
const makeAgent = Effect.gen(function* () {
  const prompts: Array<string> = []
  const [begun, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const agent = TestRuntime.layer(({ prompt }) => {
    prompts.push(prompt)
    if (prompt === "clean") return [asks, text("cleaned")]
    if (prompt !== "long") return [text(`heard: ${prompt}`)]
    const held = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(release))
    return Stream.concat(Stream.make<[AgentEvent]>(text("half")), Stream.fromEffect(Effect.as(held, text(" and half"))))
  })
  return { agent, prompts, begun: Deferred.await(begun), release: Deferred.succeed(release, undefined) }
})

const suite = (
  name: string,
  channel: ScriptedChannelOptions,
  place: Effect.Effect<Layer.Layer<Store>, never, Scope.Scope>
) =>
  describe(name, () => {
    const opened = Effect.fnUntraced(function* (options: Omit<Partial<BridgeOptions>, "agents"> = {}) {
      const [made, store, scripted] = [yield* makeAgent, yield* place, ScriptedChannel.make(channel)]
      const layer = ChannelBridge.layer({
        agents: { test: made.agent },
        access: { owners: ["ann"], users: ["bob"] },
        whileBusy: "queue",
        ...options
      }).pipe(Layer.provide([store, nodePlatform]))
      /** Until the scope closes. */
      const serve = Effect.gen(function* () {
        const context = yield* Layer.build(Layer.fresh(layer))
        yield* Effect.forkScoped(Effect.orDie(Context.get(context, ChannelBridge).serve(scripted.channel)))
      })
      const ours = (chat: string) => scripted.chat(chat).filter(({ isOurs }) => isOurs)
      const visible = (chat: string, part: string) =>
        scripted.until(() => ours(chat).find((message) => message.text.includes(part)))
      /** Answers, without progress messages and notices. */
      const answered = (chat: string) =>
        ours(chat)
          .map((message) => message.text)
          .filter((content) => /^heard|^half/.test(content))
      const hasButtons = channel.lacks?.includes("buttons") !== true
      return { ...made, ...scripted, serve, ours, shown: visible, answered, hasButtons }
    })

    it.live("answers once and in order, conversations side by side, and ignores repeated updates", () =>
      Effect.gen(function* () {
        const {
          serve,
          say,
          again,
          shown: visible,
          until,
          begun,
          release,
          answered,
          prompts,
          violations
        } = yield* opened()
        yield* serve
        yield* say("long", { updateId: "first" })
        yield* begun
        yield* say("behind it", { updateId: "second" })
        yield* say("beside it", { from: "bob" })
        yield* visible("bob", "heard: beside it")
        yield* again("first")
        yield* release
        yield* visible("ann", "heard: behind it")
        yield* again("second")
        yield* say("last")
        yield* until(() => (answered("ann").includes("heard: last") ? true : undefined))
        assert.deepStrictEqual(answered("ann"), ["half and half", "heard: behind it", "heard: last"])
        assert.strictEqual(prompts.length, 4)
        assert.deepStrictEqual(violations(), [])
      }).pipe(Effect.scoped)
    )

    it.live("stops at once, and keeps waiting messages", () =>
      Effect.gen(function* () {
        const { serve, say, shown: visible, begun } = yield* opened()
        yield* serve
        yield* say("long")
        yield* begun
        yield* say("next")
        yield* say("/stop")
        yield* visible("ann", "Stopped.")
        yield* visible("ann", "heard: next")
      }).pipe(Effect.scoped)
    )

    it.live("asks before it acts, by buttons or by words", () =>
      Effect.gen(function* () {
        const { serve, say, press, shown: visible, ours, hasButtons } = yield* opened()
        yield* serve
        yield* say("clean")
        const { messageId } = yield* visible("ann", "make clean")
        assert.isFalse(ours("ann").some((message) => message.text === "cleaned"))
        if (hasButtons) yield* press(messageId, "Allow")
        else yield* say("1")
        yield* visible("ann", "cleaned")
      }).pipe(Effect.scoped)
    )

    it.live("sends nothing after its end, and continues when it is served again", () =>
      Effect.gen(function* () {
        const { serve, say, shown: visible, answered, calls, until } = yield* opened({ progress: "off" })
        const first = Scope.makeUnsafe()
        yield* Scope.provide(serve, first)
        yield* say("one")
        yield* visible("ann", "heard: one")
        yield* Scope.close(first, Exit.void)
        const before = calls().length
        yield* say("two")
        yield* Effect.yieldNow
        assert.strictEqual(calls().length, before)
        yield* serve
        yield* visible("ann", "heard: two")
        yield* until(() => (answered("ann").length === 2 ? true : undefined))
        assert.deepStrictEqual(answered("ann"), ["heard: one", "heard: two"])
      }).pipe(Effect.scoped)
    )

    it.live("repeats nothing that may have arrived unless it is asked to", () =>
      Effect.gen(function* () {
        const {
          serve,
          say,
          press,
          shown: visible,
          fail,
          answered,
          until,
          ours,
          hasButtons
        } = yield* opened({ progress: "off" })
        yield* serve
        fail("send", "cutAfter")
        yield* say("one")
        yield* visible("ann", "heard: one")
        if (channel.lacks?.includes("find") === true) {
          const { messageId } = yield* visible("ann", "may be missing here")
          assert.strictEqual(answered("ann").length, 1)
          if (hasButtons) yield* press(messageId, "Show")
          else yield* say("show")
          yield* until(() => (answered("ann").length === 2 ? true : undefined))
        }
        yield* say("two", { from: "bob" })
        yield* visible("bob", "heard: two")
        assert.isAtMost(ours("ann").filter((message) => message.text === "heard: one").length, 2)
      }).pipe(Effect.scoped)
    )
  })

const memory = Effect.orDie(Effect.map(openIn(Store.layerMemory()), (store) => Layer.succeed(Store, store)))

for (const [name, options] of Object.entries(channelKinds)) suite(`a bridge on a channel ${name}`, options, memory)
for (const { name, place, isShared } of storeKinds) {
  const opened = Effect.map(place, (layer) => Layer.orDie(layer))
  if (isShared) suite(`a bridge over ${name}`, {}, opened)
}
