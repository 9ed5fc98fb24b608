/** A stop is behind nothing: neither what was heard before it, nor what waits for its turn. Virtual time stands still. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Stream } from "effect"
import { ChannelBridge } from "../../../src/bridge/ChannelBridge.ts"
import type { Heard } from "../../../src/bridge/messages/Channel.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import * as TestRuntime from "../../../src/testing/TestRuntime.ts"
import { ann, asTimePasses, start, untilTrue } from "./kit.ts"

const others = Array.from({ length: 50 }, (_, at) => 2_001 + at)

describe("with 50 messages in front of it", () => {
  it.effect.each(["/stop", "a press of Stop"])("%s ends the turn at once, and they are answered afterwards", (way) =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      const prompts: Array<string> = []
      let hasEnded = false
      const held = Stream.ensuring(
        Stream.never,
        Effect.sync(() => {
          hasEnded = true
        })
      )
      const agent = TestRuntime.layer(({ prompt }) => {
        prompts.push(prompt)
        return prompt === "hold" ? held : [{ type: "text", text: `heard: ${prompt}` }]
      })
      const layer = ChannelBridge.layer({
        agents: { test: agent },
        access: { owners: [String(ann)], users: others.map(String) }
      }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))
      const { serve } = Context.get(yield* Layer.build(layer), ChannelBridge)
      // Until then none of the others is taken in, but for the first one, which the poll before theirs brings: the stop
      // is heard behind all of them.
      const isStopped = yield* Deferred.make<void>()
      const before = [ann, others[0]].map(String)
      const isOfOther = ({ incoming }: Heard) =>
        incoming._tag === "Message" && !before.includes(incoming.message.conversation.chatId)
      const waits = (received: Heard): Heard =>
        isOfOther(received)
          ? { ...received, confirm: Effect.andThen(Deferred.await(isStopped), received.confirm) }
          : received
      const slow = { ...channel, incoming: (mark?: string) => Stream.map(channel.incoming(mark), waits) }
      yield* Effect.forkScoped(Effect.orDie(serve(slow)))
      const ours = (chat: number) => tg.chat(chat).filter(({ isOurs }) => isOurs)
      const isShown = (chat: number, pattern: RegExp) => ours(chat).some(({ text }) => pattern.test(text))

      tg.say("hold")
      yield* asTimePasses(untilTrue(() => isShown(ann, /^⏳/) && prompts.length === 1))
      for (const person of others) tg.say("go on", { from: person })
      const [progress] = ours(ann)
      if (progress === undefined) return assert.fail("the progress message is missing")
      if (way === "/stop") tg.say("/stop")
      else tg.press(progress, "Stop")
      yield* untilTrue(() => (way === "/stop" ? isShown(ann, /^Stopped/) : tg.acknowledgements().length === 1))
      yield* untilTrue(() => hasEnded)
      assert.deepStrictEqual(prompts, ["hold"])
      assert.deepStrictEqual(others.flatMap(ours), [])
      yield* Deferred.succeed(isStopped, undefined)
      yield* asTimePasses(untilTrue(() => others.every((person) => isShown(person, /^heard: go on/))))
      assert.strictEqual(prompts.length, 51)
    }).pipe(Effect.scoped)
  )
})
