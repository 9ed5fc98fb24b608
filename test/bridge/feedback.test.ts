/** Feedback beside the answers: the typing indicator, a notice after a delay, and buttons only while they have an effect. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Stream } from "effect"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import { Journal } from "../../src/bridge/journal/Journal.ts"
import type { Channel } from "../../src/bridge/messages/Channel.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import { turnIdOf } from "../../src/bridge/turn/prompt.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel, type ScriptedChannelOptions } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { openIn } from "../conversations/store/stores.ts"
import { bridgeOf } from "./bridgeOf.ts"
import { callsTools } from "./callsTools.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })
const echo = TestRuntime.layer(({ prompt }) => [text(`heard: ${prompt}`)])

const opened = Effect.fnUntraced(function* (
  options: Omit<Partial<BridgeOptions>, "agents"> = {},
  channel: ScriptedChannelOptions = {}
) {
  return yield* (yield* bridgeOf(echo, options))(channel)
})

describe("buttons", () => {
  it.live("of a possibly missing message are removed once it is shown", () =>
    Effect.gen(function* () {
      const { say, press, shown: visible, fail, until, ours } = yield* opened({}, { lacks: ["find"] })
      fail("send", "cutAfter")
      yield* say("one")
      const { messageId } = yield* visible("ann", "may be missing here")
      yield* press(messageId, "Show")
      const after = yield* visible("ann", "ann: It is sent again.")
      assert.deepStrictEqual([after.messageId, after.buttons], [messageId, []])
      yield* until(() =>
        ours("ann").filter((message) => message.text === "heard: one").length === 2 ? true : undefined
      )
    }).pipe(Effect.scoped)
  )

  it.live("of an agent's question are removed once a person writes instead", () =>
    Effect.gen(function* () {
      const agent = callsTools(
        (call) =>
          ({ prompt }) =>
            prompt === "ask"
              ? Stream.fromEffect(
                  Effect.as(
                    Effect.orDie(call("ask_person", { question: "Which colour?", options: ["red", "blue"] })),
                    text("asked")
                  )
                )
              : [text(`heard: ${prompt}`)]
      )
      const { say, shown: visible } = yield* (yield* bridgeOf(agent))()
      yield* say("ask")
      const request = yield* visible("ann", "Which colour?")
      assert.deepStrictEqual(request.buttons, ["red", "blue"])
      yield* visible("ann", "asked")
      yield* say("green")
      const answered = yield* visible("ann", "ann answered with a message.")
      assert.deepStrictEqual([answered.messageId, answered.buttons], [request.messageId, []])
      yield* visible("ann", "heard: green")
    }).pipe(Effect.scoped)
  )

  it.live("of an interrupted turn are removed after a choice, and not by a forged press", () =>
    Effect.gen(function* () {
      const store = yield* openIn(Store.layerMemory())
      const own = Layer.succeed(Store, store)
      const conversation = { channel: "scripted", accountId: "bot", chatId: "ann" }
      const message: ChannelMessage = {
        ...{ conversation, updateId: "before", chat: "direct", sentAt: 0, sender: { id: "ann", isBot: false } },
        ...{ text: "deploy", attachments: [], addressed: true }
      }
      const turnId = turnIdOf(message)
      const data = `i:forget:${turnId.slice("bridge-".length)}`
      const scripted = ScriptedChannel.make()
      const payload = { text: "What becomes of it?", buttons: [[{ label: "Forget", data }]] }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { inbox, outbox } = yield* (yield* Journal).own("scripted", "bot")
          yield* inbox.accept(message)
          yield* inbox.take([message.updateId], turnId)
          yield* inbox.finish(turnId, [], true)
          for (const [key, input] of [
            ["asked", payload],
            ["other", { text: "something else" }]
          ] as const) {
            for (const piece of scripted.channel.render(input)) {
              yield* outbox.put([{ key, conversation, kind: "notice", piece }])
            }
          }
        })
      ).pipe(Effect.provide(Layer.provide(Journal.layer, own)))
      const layer = ChannelBridge.layer({ agents: { test: echo }, access: { owners: ["ann"] }, progress: "off" })
      const context = yield* Layer.build(Layer.provide(layer, [own, nodePlatform]))
      yield* Effect.forkScoped(Effect.orDie(Context.get(context, ChannelBridge).serve(scripted.channel)))
      const find = (part: string) =>
        scripted.until(() => scripted.chat("ann").find((each) => each.isOurs && each.text.includes(part)))
      const request = yield* find("What becomes of it?")
      const other = yield* find("something else")
      const forged = { conversation, updateId: "f", chat: "direct", sender: { id: "ann", isBot: false } } as const
      yield* scripted.hear({ _tag: "Pressed", ...forged, messageId: other.messageId, data, press: { id: "f" } })
      yield* scripted.until(() => scripted.acknowledgements()[0])
      yield* scripted.press(request.messageId, "Forget")
      yield* scripted.until(() => scripted.acknowledgements()[1])
      yield* scripted.say("hello")
      yield* find("heard: hello")
      assert.strictEqual((yield* find("something else")).text, "something else")
      assert.deepStrictEqual(
        scripted.acknowledgements().map((each) => each.text),
        ["Forgotten.", "This is over."]
      )
    }).pipe(Effect.scoped)
  )
})

describe("a channel", () => {
  it.effect("that accepted nothing for a minute is explained afterwards, once", () =>
    Effect.gen(function* () {
      const { say, seen: known, fail, ours } = yield* opened()
      fail("send", { _tag: "TooFast", retryAfterMs: 90_000, scope: "chat" })
      yield* say("one")
      yield* known("ann", "heard: one")
      yield* known("ann", "accepted no messages here for 1 min 30 s")
      assert.lengthOf(ours("ann"), 2)
    }).pipe(Effect.scoped)
  )

  it.live("shows the typing indicator from the beginning of a turn to its end", () =>
    Effect.gen(function* () {
      const [release, calls] = [yield* Deferred.make<void>(), [] as Array<string | undefined>]
      const shows: Pick<Channel, "working"> = {
        working: (_, messageId) => Effect.sync(() => void calls.push(messageId))
      }
      const scripted = ScriptedChannel.make()
      const agent = TestRuntime.layer(Stream.fromEffect(Effect.as(Deferred.await(release), text("done"))))
      const layer = ChannelBridge.layer({ agents: { test: agent }, access: { owners: ["ann"] }, progress: "off" })
      const context = yield* Layer.build(Layer.provide(layer, [Store.layerMemory(), nodePlatform]))
      const channel = { ...scripted.channel, ...shows }
      yield* Effect.forkScoped(Effect.orDie(Context.get(context, ChannelBridge).serve(channel)))
      const messageId = yield* scripted.say("work")
      yield* Effect.eventually(Effect.suspend(() => (calls.length > 0 ? Effect.void : Effect.fail("not yet"))))
      yield* Deferred.succeed(release, undefined)
      yield* scripted.until(() => scripted.chat("ann").find((message) => message.text === "done"))
      assert.deepStrictEqual(calls, [messageId])
    }).pipe(Effect.scoped)
  )

  it.live("that cannot find a message gets it again, with a mark, if configured", () =>
    Effect.gen(function* () {
      const { say, shown: visible, fail, ours } = yield* opened({ onUnknown: "again" }, { lacks: ["find"] })
      fail("send", "cutBefore")
      yield* say("one")
      yield* visible("ann", "(maybe again) heard: one")
      assert.lengthOf(ours("ann"), 1)
    }).pipe(Effect.scoped)
  )
})

describe("the tools of a live session", () => {
  it.live("are those of the sender: a user does not have the owner's tools, and the owner gets them back", () =>
    Effect.gen(function* () {
      const known: Array<boolean> = []
      const agent = callsTools((_, names) => ({ prompt }) => {
        known.push(names().includes("schedule_add"))
        return [text(`heard: ${prompt}`)]
      })
      const { say, shown: visible } = yield* (yield* bridgeOf(agent, { gateway: "full" }))()
      for (const [from, word] of [
        ["bob", "one"],
        ["ann", "two"],
        ["bob", "three"]
      ] as const) {
        yield* say(word, { from, chat: "team" })
        yield* visible("team", word)
      }
      assert.deepStrictEqual(known, [false, true, false])
    }).pipe(Effect.scoped)
  )
})
