/** A bridge on a channel with buttons and edits, as people see it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel, type ScriptedChannelOptions } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { asksToClean as asks } from "../kit/asksToClean.ts"

type Script = Parameters<typeof TestRuntime.layer>[0]

const text = (input: string): AgentEvent => ({ type: "text", text: input })

const onChannel = (script: Script, options: ScriptedChannelOptions = {}) =>
  Effect.gen(function* () {
    const scripted = ScriptedChannel.make(options)
    const layer = ChannelBridge.layer({
      agents: { test: TestRuntime.layer(script) },
      access: { owners: ["ann"], users: ["bob"], groups: { team: { mention: false } } }
    }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))
    const { serve } = Context.get(yield* Layer.build(layer), ChannelBridge)
    yield* Effect.forkScoped(Effect.orDie(serve(scripted.channel)))
    return {
      ...scripted,
      /** The first message of the bridge in a chat that matches. */
      shown: (
        chat: string,
        fits: (seen: { readonly text: string; readonly buttons: ReadonlyArray<string> }) => boolean
      ) => scripted.until(() => scripted.chat(chat).find((message) => message.isOurs && fits(message)))
    }
  })

describe("a bridge on a channel with buttons and edits", () => {
  it.live("shows progress, asks by buttons, and answers in a separate message", () =>
    Effect.gen(function* () {
      const {
        say,
        press,
        shown: visible,
        chat,
        violations,
        acknowledgements
      } = yield* onChannel([asks, text("All clean.")])
      yield* say("clean up", { from: "ann" })
      const request = yield* visible("ann", ({ buttons }) => buttons.includes("Allow"))
      assert.include(request.text, "make clean")
      yield* press(request.messageId, "Allow", { from: "ann" })
      yield* visible("ann", (message) => message.text === "All clean.")
      const decided = yield* visible("ann", (message) => message.text.includes("Allowed by"))
      assert.deepStrictEqual(decided.buttons, [])
      yield* visible("ann", (message) => message.text.startsWith("✓ done"))
      assert.strictEqual(acknowledgements().length, 1)
      assert.strictEqual(chat("ann").filter(({ isOurs }) => isOurs).length, 3)
      assert.deepStrictEqual(violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("lets only approvers of a chat answer", () =>
    Effect.gen(function* () {
      const { say, press, shown: visible, until, chat, acknowledgements } = yield* onChannel([asks, text("All clean.")])
      yield* say("clean up", { from: "bob", chat: "team" })
      const request = yield* visible("team", ({ buttons }) => buttons.includes("Allow"))
      yield* press(request.messageId, "Allow", { from: "eve" })
      yield* press(request.messageId, "Allow", { from: "bob" })
      yield* until(() => (acknowledgements().length === 2 ? true : undefined))
      assert.isFalse(chat("team").some((message) => message.text === "All clean."))
      yield* press(request.messageId, "Deny", { from: "ann" })
      yield* visible("team", (message) => message.text.includes("Denied by"))
      yield* visible("team", (message) => message.text === "All clean.")
    }).pipe(Effect.scoped)
  )

  it.live("repeats a request whose arrival is unknown, and accepts the answer to either", () =>
    Effect.gen(function* () {
      const {
        say,
        press,
        shown: visible,
        fail,
        chat,
        until
      } = yield* onChannel([asks, text("All clean.")], { lacks: ["edit"] })
      fail("send", "cutBefore")
      fail("send", "cutAfter")
      yield* say("clean up", { from: "ann" })
      yield* until(() =>
        chat("ann").filter(({ buttons }) => buttons.includes("Allow")).length === 2 ? true : undefined
      )
      const request = yield* visible("ann", ({ buttons }) => buttons.includes("Allow"))
      yield* press(request.messageId, "Allow", { from: "ann" })
      yield* visible("ann", (message) => message.text === "All clean.")
    }).pipe(Effect.scoped)
  )

  it.live("ignores updates whose ids cannot be stored, and handles later ones", () =>
    Effect.gen(function* () {
      const {
        say,
        hear,
        shown: visible,
        until,
        confirmed
      } = yield* onChannel(({ prompt }) => [text(`heard: ${prompt}`)])
      const conversation = { channel: "scripted", accountId: "bot", chatId: "ann" }
      const sender = { id: "ann", isBot: false }
      const own = {
        conversation,
        chat: "direct",
        sentAt: 0,
        sender,
        text: "hello",
        attachments: [],
        addressed: true
      } as const
      for (const message of [
        { ...own, updateId: "a\0b" },
        { ...own, updateId: "x".repeat(10_000) },
        { ...own, updateId: "1", messageId: "\ud800" },
        { ...own, updateId: "2", conversation: { ...conversation, threadId: "a\nb" } }
      ]) {
        yield* hear({ _tag: "Message", message })
      }
      yield* until(() => (confirmed() === 4 ? true : undefined))
      yield* say("are you there?", { from: "ann" })
      yield* visible("ann", (message) => message.text === "heard: are you there?")
    }).pipe(Effect.scoped)
  )

  it.live("keeps two accounts of one store apart that have equal ids of chats and messages", () =>
    Effect.gen(function* () {
      const [one, two] = [ScriptedChannel.make({ accountId: "one" }), ScriptedChannel.make({ accountId: "two" })]
      const layer = ChannelBridge.layer({
        agents: { test: TestRuntime.layer([text("x")]) },
        access: { owners: ["ann"] }
      }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))
      const { serve } = Context.get(yield* Layer.build(layer), ChannelBridge)
      for (const { channel, say, until, chat } of [one, two]) {
        yield* Effect.forkScoped(Effect.orDie(serve(channel)))
        yield* say("/whoami", { from: "ann" })
        yield* until(() => chat("ann").find(({ isOurs, text: visible }) => isOurs && visible.includes("owner")))
      }
    }).pipe(Effect.scoped)
  )

  it.live("is stopped by the button of the progress message", () =>
    Effect.gen(function* () {
      const {
        say,
        press,
        shown: visible
      } = yield* onChannel(Stream.concat(Stream.make<[AgentEvent]>(text("half")), Stream.never))
      yield* say("work", { from: "ann" })
      const progress = yield* visible("ann", ({ buttons }) => buttons.includes("Stop"))
      yield* press(progress.messageId, "Stop", { from: "ann" })
      yield* visible("ann", (message) => message.text === "half")
      const end = yield* visible("ann", (message) => message.text.startsWith("■"))
      assert.deepStrictEqual(end.buttons, [])
    }).pipe(Effect.scoped)
  )
})
