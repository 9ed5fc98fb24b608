/** A bridge on Telegram, as its people see it: what goes wrong there is told, and nothing is lost. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import type { BridgeOptions } from "../../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../../src/bridge/ChannelBridge.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import * as TestRuntime from "../../../src/testing/TestRuntime.ts"
import { asksToClean as asks } from "../../kit/asksToClean.ts"
import { ann, start } from "./kit.ts"

type Script = Parameters<typeof TestRuntime.layer>[0]

const echo: Script = ({ prompt }) => [{ type: "text", text: `heard: ${prompt}` }]
const team = -1_000_000_000_007

const served = (script: Script, mention = true, progress: BridgeOptions["progress"] = "off") =>
  Effect.gen(function* () {
    const { tg, channel } = yield* start({ privacyMode: false })
    const layer = ChannelBridge.layer({
      agents: { test: TestRuntime.layer(script) },
      access: { owners: [String(ann)], groups: { [team]: { mention }, "-5": { mention } } },
      progress
    }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))
    const { serve } = Context.get(yield* Layer.build(layer), ChannelBridge)
    yield* Effect.forkScoped(Effect.orDie(serve(channel)))
    const visible = (chat: number, part: string) =>
      Effect.promise(() =>
        tg.until(() => tg.chat(chat).find((message) => message.isOurs && message.text.includes(part)))
      )
    return { tg, shown: visible }
  })

describe("a bridge on Telegram", () => {
  it.live("answers its owner in a direct chat, asks by buttons, and is silent to others", () =>
    Effect.gen(function* () {
      const { tg, shown: visible } = yield* served([asks, { type: "text", text: "All **clean**." }])
      tg.say("who are you?", { from: 2002 })
      tg.say("clean up")
      const request = yield* visible(ann, "make clean")
      tg.press(request, "Allow")
      const answer = yield* visible(ann, "All clean.")
      assert.deepStrictEqual(answer.entities, [{ type: "bold", offset: 4, length: 5 }])
      yield* visible(ann, "Allowed by")
      assert.strictEqual(tg.acknowledgements().length, 1)
      assert.deepStrictEqual(
        tg.chat(2002).filter(({ isOurs }) => isOurs),
        []
      )
      assert.deepStrictEqual(tg.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("hears in a group what is meant for it, in topics of their own, and no anonymous admin", () =>
    Effect.gen(function* () {
      const { tg, shown: visible } = yield* served(echo)
      tg.say("talk among people", { chat: team })
      tg.say("/new@other_bot", { chat: team })
      tg.say("@test_bot as a channel", { chat: team, more: { sender_chat: { id: team, type: "supergroup" } } })
      tg.say("@test_bot one", { chat: team, thread: 9 })
      const answer = yield* visible(team, "heard:")
      assert.deepStrictEqual([answer.text.split("\n")[0]?.includes("one"), answer.thread], [true, 9])
      tg.say("two", { chat: team, thread: 9, replyTo: answer })
      yield* visible(team, "two")
      assert.strictEqual(tg.chat(team).filter(({ isOurs }) => isOurs).length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("shows a working agent in drafts, and in a message where those are refused, or in a group", () =>
    Effect.gen(function* () {
      const { tg, shown: visible } = yield* served(() => Stream.never, true, "draft")
      tg.say("one")
      const draft = yield* Effect.promise(() => tg.until(() => tg.draft(ann)))
      assert.match(draft.text, /^⏳ test/)
      tg.stopDraft(ann)
      yield* visible(ann, "Stopped.")
      tg.fail("sendMessageDraft", { code: 400, description: "Bad Request: drafts are not for you" })
      tg.say("two")
      const progress = yield* visible(ann, "⏳ test")
      assert.deepStrictEqual([progress.buttons, tg.draft(ann)], [["Stop"], undefined])
      tg.say("@test_bot three", { chat: team })
      const ofGroup = yield* visible(team, "⏳ test")
      assert.deepStrictEqual(ofGroup.buttons, ["Stop"])
      assert.strictEqual(tg.calls().filter(({ method }) => method === "sendMessageDraft").length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("takes an album of ten with captions as one message, and tells which file is too large", () =>
    Effect.gen(function* () {
      const { tg, shown: visible } = yield* served(echo)
      for (let part = 1; part <= 10; part++)
        tg.say("", {
          album: "a",
          caption: `caption ${part}`,
          document: { name: `${part}.txt`, content: "x", ...(part === 4 ? { bytes: 25_000_000 } : {}) }
        })
      const reported = yield* visible(ann, "4.txt")
      assert.include(reported.text, "20 MB")
      const answer = yield* visible(ann, "heard:")
      for (let part = 1; part <= 10; part++) assert.include(answer.text, `caption ${part}`)
      assert.strictEqual(answer.text.match(/\[file: /g)?.length, 9)
    }).pipe(Effect.scoped)
  )

  it.live("follows a group that becomes a supergroup, and tells of it there", () =>
    Effect.gen(function* () {
      const { tg, shown: visible } = yield* served(echo)
      tg.open(-5)
      const moved = tg.migrate(-5)
      yield* visible(moved, "-5")
      tg.say("@test_bot here", { chat: moved })
      yield* visible(moved, "heard:")
    }).pipe(Effect.scoped)
  )

  it.live("says where it answers when a topic is gone, and that nothing is in a sticker", () =>
    Effect.gen(function* () {
      let meanwhile = () => {}
      const { tg, shown: visible } = yield* served(({ prompt }) => {
        if (prompt.includes("vanish")) meanwhile()
        return [{ type: "text", text: `heard: ${prompt}` }]
      })
      meanwhile = () => tg.topic(team, 9, "deleted")
      tg.say("", { more: { sticker: { file_id: "s" } } })
      yield* visible(ann, "I accept text")
      tg.say("@test_bot vanish", { chat: team, thread: 9 })
      const answer = yield* visible(team, "heard:")
      assert.isUndefined(answer.thread)
    }).pipe(Effect.scoped)
  )

  it.live("goes on with others where one has blocked the bot, and asks for what may be missing", () =>
    Effect.gen(function* () {
      let meanwhile = () => {}
      const { tg, shown: visible } = yield* served(({ prompt }) => {
        if (prompt.includes("block")) meanwhile()
        return [{ type: "text", text: `heard: ${prompt}` }]
      })
      meanwhile = () => tg.member(ann, "blocked")
      tg.say("block me")
      yield* Effect.promise(() =>
        tg.until(() => tg.calls().find(({ description }) => description?.includes("blocked")))
      )
      tg.member(ann, "unblocked")
      tg.fail("sendMessage", "cutAfter")
      tg.say("hello")
      yield* visible(ann, "heard: hello")
      const requested = yield* visible(ann, "may be missing")
      assert.deepStrictEqual(requested.buttons, ["Show"])
    }).pipe(Effect.scoped)
  )
})
