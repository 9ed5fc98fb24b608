/** Messages that are sent, changed and removed: in the chat where it is now, whole, and once. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { Channel } from "../../../src/bridge/messages/Channel.ts"
import type { ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"
import type { TelegramFault } from "../../../src/testing.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { ann, listenTo, pieceOf, place, start, untilTrue } from "./kit.ts"

const refusal = (code: number, description: string): TelegramFault => ({ code, description })

const sendAll = (channel: Channel, payload: ReplyPayload, to = place) =>
  Effect.forEach(channel.render(payload), (piece, at) => channel.send(to, piece, `k${at}`))

describe("what is written in Telegram", () => {
  it.live("is a text with marks, without a preview, and without a sound where it is silent", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      yield* sendAll(channel, { text: "**b** https://e.org", silent: true })
      const [message] = tg.chat(ann)
      assert.isTrue(message?.silent)
      assert.deepStrictEqual(message?.entities[0], { type: "bold", offset: 0, length: 1 })
      const call = tg.calls().find(({ method }) => method === "sendMessage")
      assert.deepInclude(call?.params, { link_preview_options: { is_disabled: true } })
      assert.notProperty(call?.params, "parse_mode")
    }).pipe(Effect.scoped)
  )

  it.live("goes into its topic, and into none for General", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      const group = -1_000_000_000_077
      tg.open(group, { isForum: true })
      tg.topic(group, 9, "open")
      const to = { ...place, chatId: String(group) }
      yield* channel.send({ ...to, threadId: "9" }, pieceOf(channel, "in it"), "a")
      yield* channel.send({ ...to, threadId: "1" }, pieceOf(channel, "general"), "b")
      assert.deepStrictEqual(
        tg
          .chat(group, 9)
          .filter(({ isOurs }) => isOurs)
          .map(({ text }) => text),
        ["in it"]
      )
      tg.topic(group, 9, "deleted")
      const failure = yield* Effect.flip(channel.send({ ...to, threadId: "9" }, pieceOf(channel, "x"), "c"))
      assert.deepStrictEqual(failure.reason, { _tag: "Gone", what: "thread" })
    }).pipe(Effect.scoped)
  )

  it.live("quotes in groups, elsewhere only where others came between, and goes without what is gone", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      const group = -1_000_000_000_078
      const request = tg.say("/who", { chat: group })
      yield* sendAll(
        channel,
        { text: "here", replyToId: String(request.messageId) },
        { ...place, chatId: String(group) }
      )
      assert.strictEqual(tg.chat(group).at(-1)?.replyTo, request.messageId)
      const { until } = yield* listenTo(channel)
      const one = tg.say("one")
      yield* until(2)
      yield* sendAll(channel, { text: "first", replyToId: String(one.messageId) })
      assert.isUndefined(tg.chat(ann).at(-1)?.replyTo)
      tg.say("two")
      yield* until(3)
      yield* sendAll(channel, { text: "second", replyToId: String(one.messageId) })
      assert.strictEqual(tg.chat(ann).at(-1)?.replyTo, one.messageId)
      tg.withdraw(one)
      yield* sendAll(channel, { text: "third", replyToId: String(one.messageId) })
      assert.deepInclude(tg.chat(ann).at(-1), { text: "third" })
      assert.isUndefined(tg.chat(ann).at(-1)?.replyTo)
    }).pipe(Effect.scoped)
  )

  it.live("follows a group that has moved, and what it has there", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(-5)
      const to = { ...place, chatId: "-5" }
      const moved = tg.migrate(-5)
      const ref = yield* channel.send(to, pieceOf(channel, "before"), "a")
      assert.deepStrictEqual(ref.conversation, to)
      yield* channel.edit?.(ref, pieceOf(channel, "after")) ?? Effect.void
      assert.deepStrictEqual(
        tg
          .chat(moved)
          .filter(({ isOurs }) => isOurs)
          .map(({ text }) => text),
        ["after"]
      )
      assert.strictEqual(tg.calls().filter(({ description }) => description?.includes("upgraded")).length, 1)
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["blocked", { _tag: "Gone", what: "user" }],
    ["deactivated", { _tag: "Gone", what: "user" }]
  ] as const)("is refused where the person has %s the bot", ([happening, reason]) =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      tg.member(ann, happening)
      const failure = yield* Effect.flip(channel.send(place, pieceOf(channel, "x"), "k"))
      assert.deepStrictEqual(failure.reason, reason)
    }).pipe(Effect.scoped)
  )

  it.live("is never lost for its marks", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      tg.fail("sendMessage", refusal(400, "Bad Request: can't parse entities: something new"))
      const [ref] = yield* sendAll(channel, { text: "**b** c" })
      assert.deepInclude(tg.chat(ann)[0], { text: "b c", entities: [] })
      if (ref === undefined) return assert.fail("nothing was sent")
      tg.fail("editMessageText", refusal(400, "Bad Request: ENTITY_BOUNDS_INVALID"))
      yield* channel.edit?.(ref, pieceOf(channel, "*d*")) ?? Effect.void
      assert.deepInclude(tg.chat(ann)[0], { text: "d", entities: [] })
    }).pipe(Effect.scoped)
  )

  it.live("is files: photos where Telegram takes them, documents otherwise", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      const folder = yield* makeDirectory
      const file = (name: string, content: string) => {
        writeFileSync(join(folder, name), content)
        return join(folder, name)
      }
      const [photo, text, empty] = [file("a.png", "png"), file('b "ä;.txt', "text"), file("c.txt", "")]
      yield* sendAll(channel, { text: "here", mediaUrls: [photo, text], buttons: [[{ label: "Ok", data: "o" }]] })
      tg.fail("sendPhoto", refusal(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"))
      yield* sendAll(channel, { mediaUrls: [photo] })
      assert.deepStrictEqual(
        tg.chat(ann).map(({ text: words, files, buttons }) => [words, files[0]?.kind, files[0]?.name, buttons[0]]),
        [
          ["here", undefined, undefined, undefined],
          ["", "photo", "a.png", undefined],
          ["", "document", "b _ä;.txt", "Ok"],
          ["", "document", "a.png", undefined]
        ]
      )
      for (const wrong of [empty, join(folder, "missing"), folder]) {
        const failure = yield* Effect.flip(sendAll(channel, { mediaUrls: [wrong] }))
        assert.strictEqual(failure.reason._tag, "Refused")
      }
    }).pipe(Effect.scoped)
  )

  it.live("is refused where it is of another channel, account or shape", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      const piece = pieceOf(channel, "x")
      const before = tg.calls().length
      for (const to of [
        { ...place, channel: "web" },
        { ...place, accountId: "1" },
        { ...place, chatId: "ann" }
      ]) {
        assert.strictEqual((yield* Effect.flip(channel.send(to, piece, "k"))).reason._tag, "Gone")
      }
      const foreign = { text: "x", body: { markdown: "x" } }
      assert.strictEqual((yield* Effect.flip(channel.send(place, foreign, "k"))).reason._tag, "Refused")
      assert.strictEqual(tg.calls().length, before)
    }).pipe(Effect.scoped)
  )

  it.live("shows no typing indicator while Telegram takes nothing", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      yield* channel.working?.(place) ?? Effect.void
      tg.fail("sendMessage", { retryAfter: 9 })
      yield* Effect.flip(channel.send(place, pieceOf(channel, "x"), "k"))
      yield* channel.working?.(place) ?? Effect.void
      assert.strictEqual(tg.calls().filter(({ method }) => method === "sendChatAction").length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is an answer to a press, once, short, and nothing where it comes too late", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      yield* sendAll(channel, { text: "?", buttons: [[{ label: "Yes", data: "y" }]] })
      const [message] = tg.chat(ann)
      if (message === undefined) return assert.fail("nothing was sent")
      tg.press(message, "Yes")
      const [received] = yield* Stream.runCollect(Stream.take(channel.incoming(undefined), 1))
      if (received?.incoming._tag !== "Pressed") return assert.fail("no press")
      yield* channel.acknowledge(received.incoming, "long ".repeat(100))
      yield* channel.acknowledge(received.incoming, "again")
      yield* channel.acknowledge({ ...received.incoming, press: null })
      assert.strictEqual(tg.acknowledgements().length, 1)
      assert.isAtMost(tg.acknowledgements()[0]?.text.length ?? 0, 200)
      assert.deepStrictEqual(tg.violations(), [])
    }).pipe(Effect.scoped)
  )
})

describe("a draft in Telegram", () => {
  it.live("has marks and a button that stops it, without the buttons of the text, and sends nothing", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      const [piece] = channel.render({ text: "**b** c", buttons: [[{ label: "Stop", data: "x" }]], silent: true })
      if (piece === undefined) return assert.fail("it is not a text")
      yield* channel.draft?.(place, 2 ** 31 - 1, piece) ?? Effect.void
      const facts = { draftId: 2 ** 31 - 1, text: "b c", canStop: true, staysOnStop: false }
      assert.deepInclude(tg.draft(ann), { ...facts, entities: [{ type: "bold", offset: 0, length: 1 }] })
      const call = tg.calls().find(({ method }) => method === "sendMessageDraft")
      assert.notProperty(call?.params, "reply_markup")
      assert.deepStrictEqual([tg.chat(ann), tg.violations()], [[], []])
      tg.fail("sendMessageDraft", refusal(400, "Bad Request: can't parse entities: something new"))
      yield* channel.draft?.(place, 1, piece) ?? Effect.void
      assert.deepInclude(tg.draft(ann), { draftId: 1, text: "b c", entities: [] })
    }).pipe(Effect.scoped)
  )

  it.live("goes into its topic, and its stop comes from there", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.topic(ann, 9, "open")
      const { heard: updates, until } = yield* listenTo(channel)
      // The kinds of updates are known to Telegram from the first poll on.
      yield* untilTrue(() => tg.listeners() === 1)
      const topic = { ...place, threadId: "9" }
      yield* channel.draft?.(topic, 5, pieceOf(channel, "in it")) ?? Effect.void
      assert.deepStrictEqual([tg.draft(ann, 9)?.text, tg.draft(ann)], ["in it", undefined])
      tg.stopDraft(ann, 9)
      yield* until(1)
      assert.deepInclude(updates[0]?.incoming, { _tag: "StopAsked", conversation: topic, draftId: 5 })
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["in a group", { chatId: "-5" }, { _tag: "Refused", description: "groups have no drafts" }],
    ["of another account", { accountId: "1" }, { _tag: "Gone", what: "chat" }]
  ] as const)("%s is refused without a call", ([, more, reason]) =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(-5)
      const { draft = () => Effect.void } = channel
      const failure = yield* Effect.flip(draft({ ...place, ...more }, 1, pieceOf(channel, "x")))
      assert.deepStrictEqual(failure.reason, reason)
      assert.isFalse(tg.calls().some(({ method }) => method === "sendMessageDraft"))
    }).pipe(Effect.scoped)
  )

  it.live.each([
    [refusal(404, "Not Found: method not found"), "Refused"],
    [{ retryAfter: 7 }, "TooFast"],
    ["badGateway", "Unknown"]
  ] as const)("whose call fails by %j is %s", ([fault, tag]) =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.open(ann)
      tg.fail("sendMessageDraft", fault)
      const { draft = () => Effect.void } = channel
      const failure = yield* Effect.flip(draft(place, 1, pieceOf(channel, "x")))
      assert.strictEqual(failure.reason._tag, tag)
    }).pipe(Effect.scoped)
  )
})
