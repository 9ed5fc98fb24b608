/** Scripted channels of several kinds pass the suite of all channels; what only they have is tested below it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Channel } from "../../src/bridge/messages/Channel.ts"
import type { MessageRef } from "../../src/bridge/messages/ReplyPayload.ts"
import { ScriptedChannel, type ScriptedChannelOptions } from "../../src/testingEffect.ts"
import { channelContract, type Stage } from "./contract.ts"

const kinds: Readonly<Record<string, ScriptedChannelOptions>> = {
  "with everything": {},
  "without edits": { lacks: ["edit", "remove"] },
  "without a search": { lacks: ["find"] },
  "without confirmation": { lacks: ["confirmation"] },
  "without buttons": { lacks: ["buttons"] },
  "with short messages": { limits: { text: 40 } },
  "without anything": { lacks: ["edit", "remove", "find", "confirmation", "buttons", "download"] }
}

for (const [name, options] of Object.entries(kinds)) {
  channelContract(
    name,
    Effect.sync((): Stage => {
      const stage = ScriptedChannel.make({ limits: { text: 200 }, ...options })
      return { ...stage, sameKey: "twice", sayIn: (chat, text) => stage.say(text, { from: `person${chat}` }) }
    })
  )
}

const isMention = Schema.is(Schema.Struct({ text: Schema.String.check(Schema.isPattern(/@(everyone|here)|<[!@#]/)) }))

/** As services with sockets and previews are: the channel drops repeats, and edits without a new text. */
const repeating = Effect.sync((): Stage => {
  const stage = ScriptedChannel.make({ limits: { text: 200 } })
  const { channel, again, edit } = stage
  const sent = new Map<string, MessageRef>()
  const listen: Channel["incoming"] = (mark) =>
    Stream.suspend(() => {
      const texts = new Map<string | undefined, string | undefined>()
      return Stream.filter(channel.incoming(mark), ({ incoming }) => {
        if (incoming._tag !== "Message" && incoming._tag !== "Edited") return true
        const { messageId, text } = incoming._tag === "Message" ? incoming.message : incoming
        if (texts.has(messageId) && texts.get(messageId) === text) return false
        texts.set(messageId, text)
        return true
      })
    })
  return {
    ...stage,
    channel: {
      ...channel,
      incoming: listen,
      send: (to, piece, key) => {
        const ref = sent.get(key)
        if (ref !== undefined) return Effect.succeed(ref)
        return Effect.tap(channel.send(to, piece, key), (made) => Effect.sync(() => sent.set(key, made)))
      },
      render: (payload) => channel.render({ ...payload, text: (payload.text ?? "").replaceAll(/[@<]/g, "$&\u200b") })
    },
    sameKey: "once",
    preview: (messageId) => edit(messageId, stage.chat("ann").find((each) => each.messageId === messageId)?.text ?? ""),
    repeat: (messageId) => again(messageId.replace("m", "u")),
    endPresses: Effect.sync(() => stage.fail("acknowledge", { _tag: "Gone", what: "message" }, 2)),
    notifies: ({ body }) => isMention(body)
  }
})
channelContract("of a service that repeats itself", repeating)

const place = (chatId: string) => ({ channel: "scripted", accountId: "bot", chatId })

const piece = (text: string, labels: ReadonlyArray<string> = [], data = "d") => ({
  text,
  body: { text, buttons: [labels.map((label) => ({ label, data }))] }
})

describe("a scripted channel", () => {
  it.effect.each([
    ["text", piece("x".repeat(11))],
    ["empty", piece("  ")],
    ["buttons", piece("x", ["a", "b", "c"])],
    ["label", piece("x", ["far too long"])],
    ["data", piece("x", ["a"], "ääääää")],
    ["foreign", { text: "x", body: { markdown: "x" } }]
  ] as const)("refuses what breaks a rule, and records it: %s", ([rule, wrong]) =>
    Effect.gen(function* () {
      const { channel, violations, chat } = ScriptedChannel.make({
        limits: { text: 10, buttons: { most: 2, label: 8, data: 10 } }
      })
      const failure = yield* Effect.flip(channel.send(place("ann"), wrong, "k"))
      assert.strictEqual(failure.reason._tag, "Refused")
      assert.deepStrictEqual(
        violations().map((each) => each.rule),
        [rule]
      )
      yield* channel.send(place("ann"), piece("x".repeat(10), ["a", "b"], "äääää"), "k")
      assert.strictEqual(chat("ann").length, 1)
    })
  )

  it.effect("takes as many messages a minute as it says, and nothing in the time it forbids", () =>
    Effect.gen(function* () {
      const { channel, violations, say, chat } = ScriptedChannel.make({ limits: { pace: { groupPerMinute: 3 } } })
      yield* say("hello", { chat: "team" })
      const send = Effect.result(channel.send(place("team"), piece("x"), "k"))
      for (let time = 0; time < 3; time++) yield* Effect.andThen(send, TestClock.adjust("10 seconds"))
      const refused = yield* send
      assert.deepStrictEqual(refused._tag === "Failure" && refused.failure.reason, {
        _tag: "TooFast",
        retryAfterMs: 30_000,
        scope: "chat"
      })
      yield* TestClock.adjust("29 seconds")
      yield* send
      yield* channel.send(place("ann"), piece("another chat"), "k")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* send)._tag, "Success")
      assert.strictEqual(chat("team").length, 5)
      assert.deepStrictEqual(
        violations().map(({ rule }) => rule),
        ["pace", "forbidden"]
      )
    })
  )

  it.effect("forbids what the scope of a scripted TooFast names", () =>
    Effect.gen(function* () {
      const { channel, fail } = ScriptedChannel.make()
      const { edit, send } = channel
      const ref = yield* send(place("ann"), piece("a"), "k")
      fail("edit", { _tag: "TooFast", retryAfterMs: 1_000, scope: "edits" })
      const change = Effect.result(edit?.(ref, piece("b")) ?? Effect.void)
      assert.strictEqual((yield* change)._tag, "Failure")
      yield* send(place("ann"), piece("c"), "k")
      assert.strictEqual((yield* change)._tag, "Failure")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* change)._tag, "Success")
    })
  )

  it.effect("tells of chats that are left or closed, until a person writes there", () =>
    Effect.gen(function* () {
      const { channel, leave, close, say } = ScriptedChannel.make()
      const reason = Effect.map(
        Effect.flip(channel.send(place("ann"), piece("x"), "k")),
        ({ reason: { _tag } }) => _tag
      )
      yield* close("ann")
      assert.strictEqual(yield* reason, "Closed")
      yield* leave("ann")
      assert.strictEqual(yield* reason, "Gone")
      yield* say("here I am")
      yield* channel.send(place("ann"), piece("x"), "k")
      const received = yield* Stream.runCollect(Stream.take(channel.incoming(undefined), 2))
      assert.deepStrictEqual(
        received.map(({ incoming }) => incoming._tag),
        ["Left", "Message"]
      )
    })
  )

  it.effect("records what is confirmed before what came earlier, and a press that is acknowledged twice", () =>
    Effect.gen(function* () {
      const { channel, say, violations, press } = ScriptedChannel.make()
      const { messageId } = yield* channel.send(place("ann"), piece("?", ["Yes"]), "k")
      yield* say("one")
      yield* press(messageId, "Yes")
      const [, second] = yield* Stream.runCollect(Stream.take(channel.incoming(undefined), 2))
      yield* second?.confirm ?? Effect.void
      if (second?.incoming._tag !== "Pressed") return assert.fail("no press was heard")
      for (let time = 0; time < 2; time++) yield* channel.acknowledge(second.incoming)
      assert.deepStrictEqual(
        violations().map(({ rule }) => rule),
        ["order", "acknowledged twice"]
      )
    })
  )

  it.effect("says who wrote what, where, and in reply to what", () =>
    Effect.gen(function* () {
      const { channel, say, again, end } = ScriptedChannel.make()
      const { messageId } = yield* channel.send(place("team"), piece("mine"), "k")
      const attachments = [{ name: "a.txt", content: "ä", kind: "document" }] as const
      yield* say("look", { from: "ben", chat: "team", thread: "t", group: "g", attachments, replyTo: messageId })
      yield* again("u1")
      const [one, two] = yield* Stream.runCollect(Stream.take(channel.incoming(undefined), 2))
      assert.deepStrictEqual(one?.incoming, two?.incoming)
      assert.deepStrictEqual(one?.incoming, {
        _tag: "Message",
        message: {
          conversation: { ...place("team"), threadId: "t" },
          updateId: "u1",
          messageId: "m2",
          chat: "group",
          sentAt: 0,
          sender: { id: "ben", name: "ben", isBot: false },
          text: "look",
          attachments: [{ kind: "document", fileId: "f1", name: "a.txt", bytes: 2 }],
          addressed: true,
          replyTo: { messageId, ours: true, text: "mine" },
          group: "g"
        }
      })
      end("the token is refused")
      const failure = yield* Effect.flip(Stream.runDrain(channel.incoming(undefined)))
      assert.include(failure.message, "the token is refused")
    })
  )
})
