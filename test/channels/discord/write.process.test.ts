/** Sends, looks, edits and removals against the fake: threads, nonces, buckets, files. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { SendReason } from "../../../src/bridge/messages/SendError.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { bot, connected, listenTo, pieceOf, placeOf, room, start } from "./kit.ts"

const reasonOf = <A>(exit: Exit.Exit<A, { readonly reason: SendReason }>): SendReason | undefined => {
  const failure = Exit.isSuccess(exit) ? undefined : exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return failure?.error.reason
}

const count = (calls: ReadonlyArray<{ readonly method: string }>, name: string) =>
  calls.filter(({ method }) => method === name).length

describe("an answer in a channel of a server", () => {
  it.live("begins a thread at the message that it answers, named by that message", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const { received, until } = yield* listenTo(discord, channel)
      yield* connected(discord)
      discord.say(`<@${bot}> Please rename all of the invoices`, { channel: room })
      yield* until(1)
      const incoming = received[0]?.incoming
      const to = incoming?._tag === "Message" ? incoming.message.conversation : assert.fail("not heard")
      for (const text of ["one", "two"]) yield* channel.send(to, pieceOf(channel, text), text)
      assert.deepStrictEqual(
        discord.chat(to.threadId ?? "").map(({ text }) => text),
        ["one", "two"]
      )
      assert.strictEqual(discord.nameOf(to.threadId ?? ""), "Please rename all of the invoices")
      assert.lengthOf(discord.chat(room), 1)
      assert.strictEqual(count(discord.calls(), "startThread"), 1)
    }).pipe(Effect.scoped)
  )

  it.live("goes into the thread that a person has opened meanwhile, and opens an archived one", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const { messageId } = discord.say("hello", { channel: room })
      const to = placeOf(room, messageId)
      discord.fail("createMessage", { status: 404, code: 10_003, description: "Unknown Channel" })
      discord.thread({ channel: room, messageId })
      yield* channel.send(to, pieceOf(channel, "one"), "1")
      discord.archive(messageId)
      const ref = yield* channel.send(to, pieceOf(channel, "two"), "2")
      discord.archive(messageId)
      yield* channel.edit?.(ref, pieceOf(channel, "three")) ?? Effect.void
      assert.deepStrictEqual(
        discord.chat(messageId).map(({ text }) => text),
        ["one", "three"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("says that its thread is gone where the message was deleted, and its chat where that was", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const key = discord.say("hello", { channel: room })
      discord.withdraw(key)
      const send = (to: ReturnType<typeof placeOf>) => Effect.exit(channel.send(to, pieceOf(channel, "x"), "k"))
      assert.deepStrictEqual(reasonOf(yield* send(placeOf(room, key.messageId))), { _tag: "Gone", what: "thread" })
      discord.close(room)
      assert.deepStrictEqual(reasonOf(yield* send(placeOf(room, key.messageId))), { _tag: "Gone", what: "chat" })
      discord.open("400000000000000002", { access: "silent" })
      assert.deepStrictEqual(reasonOf(yield* send(placeOf("400000000000000002"))), { _tag: "Gone", what: "chat" })
      discord.open("400000000000000003", { type: 2 })
      const voice = discord.say("hello", { channel: "400000000000000003" })
      const there = placeOf("400000000000000003", voice.messageId)
      assert.deepStrictEqual(reasonOf(yield* send(there)), { _tag: "Gone", what: "thread" })
    }).pipe(Effect.scoped)
  )
})

describe("a send to Discord", () => {
  it.live("whose answer was cut is made once more, and is there once", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const to = placeOf(discord.direct())
      for (const fault of ["cutAfter", "cutBefore", "badGatewayAfter", "invalidJson"] as const) {
        discord.fail("createMessage", fault)
        const ref = yield* channel.send(to, pieceOf(channel, fault), fault)
        const found = discord.chat(to.chatId).filter(({ text }) => text === fault)
        assert.deepStrictEqual(
          found.map(({ messageId }) => messageId),
          [ref.messageId]
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("is unknown where the second attempt is refused: the first may be there", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const to = placeOf(discord.direct())
      discord.fail("createMessage", "cutAfter")
      discord.fail("createMessage", { retryAfter: 5 })
      const exit = yield* Effect.exit(channel.send(to, pieceOf(channel, "x"), "k"))
      assert.deepStrictEqual(reasonOf(exit), { _tag: "Unknown" })
      assert.lengthOf(discord.chat(to.chatId), 1)
    }).pipe(Effect.scoped)
  )

  it.live("is found in history behind a message when its nonce is forgotten, and not sent twice", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const to = placeOf(discord.direct())
      const before = yield* channel.send(to, pieceOf(channel, "**same** <@1>"), "a")
      discord.fail("createMessage", "cutAfter", 2)
      yield* Effect.exit(channel.send(to, pieceOf(channel, "**same** <@1>"), "b"))
      discord.advance(600_000)
      const found = yield* channel.find?.(to, pieceOf(channel, "**same** <@1>"), "b", before.messageId) ?? Effect.void
      assert.strictEqual(found?.messageId, discord.chat(to.chatId)[1]?.messageId)
      const other = yield* channel.find?.(to, pieceOf(channel, "other"), "c", before.messageId) ?? Effect.void
      assert.isUndefined(other)
      const away = yield* channel.find?.(placeOf(room, "400000000000000999"), pieceOf(channel, "x"), "d", undefined) ??
        Effect.void
      assert.isUndefined(away)
    }).pipe(Effect.scoped)
  )

  it.live("waits for an empty bucket without a call, and breaks no limit", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start({ pace: { channel: { most: 2, spanMs: 5_000 } } })
      const to = placeOf(discord.direct())
      for (const key of ["1", "2"]) yield* channel.send(to, pieceOf(channel, key), key)
      const calls = discord.calls().length
      const reason = reasonOf(yield* Effect.exit(channel.send(to, pieceOf(channel, "3"), "3")))
      assert.strictEqual(reason?._tag === "TooFast" && reason.scope, "chat")
      assert.strictEqual(discord.calls().length, calls)
      const other = placeOf(discord.direct("100000000000001002"))
      yield* channel.send(other, pieceOf(channel, "another chat"), "4")
      assert.isEmpty(discord.violations())
    }).pipe(Effect.scoped)
  )

  it.live("takes a file with its message, and gives files of people", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const folder = yield* makeDirectory
      const path = join(folder, "ein Bild.txt")
      yield* Effect.promise(() => writeFile(path, "content"))
      const to = placeOf(discord.direct())
      const [piece] = channel.render({ mediaUrls: [path] })
      if (piece === undefined) return assert.fail("no piece")
      const ref = yield* channel.send(to, piece, "file")
      const key = { channel: to.chatId, messageId: ref.messageId }
      assert.strictEqual(new TextDecoder().decode(discord.fileOf(key)), "content")
      const found = yield* channel.find?.(to, piece, "of another process", undefined) ?? Effect.void
      assert.isUndefined(found)

      const { messageId } = discord.say("look", {
        files: [{ name: "a.png", content: "pixels", mimeType: "image/png" }]
      })
      const { received, until } = yield* listenTo(discord, channel)
      yield* connected(discord)
      discord.say("look", { files: [{ name: "b.png", content: "other", mimeType: "image/png" }] })
      yield* until(1)
      const incoming = received[0]?.incoming
      const file = incoming?._tag === "Message" ? incoming.message.attachments[0] : undefined
      assert.deepInclude(file, { kind: "image", name: "b.png", bytes: 5 })
      const target = join(folder, "b.png")
      yield* channel.download?.(file?.fileId ?? "", target) ?? Effect.void
      const { readFile } = yield* Effect.promise(() => import("node:fs/promises"))
      assert.strictEqual(yield* Effect.promise(() => readFile(target, "utf8")), "other")
      discord.withdraw({ channel: to.chatId, messageId })
      const exit = yield* Effect.exit(channel.download?.(`${to.chatId}/${messageId}/1`, target) ?? Effect.void)
      assert.deepStrictEqual(reasonOf(exit), { _tag: "Gone", what: "message" })
      yield* Effect.promise(() => mkdir(join(folder, "d")))
      const noFile = yield* Effect.exit(channel.send(to, { ...piece, file: join(folder, "d") }, "d"))
      assert.strictEqual(reasonOf(noFile)?._tag, "Refused")
    }).pipe(Effect.scoped)
  )

  it.live("takes buttons away with an edit, and shows no previews", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const to = placeOf(discord.direct())
      const [piece] = channel.render({ text: "May I?", buttons: [[{ label: "Yes", data: "y" }]], silent: true })
      if (piece === undefined) return assert.fail("no piece")
      const ref = yield* channel.send(to, piece, "q")
      assert.deepInclude(discord.chat(to.chatId)[0], { silent: true, withoutPreviews: true, buttons: ["Yes"] })
      yield* channel.edit?.(ref, pieceOf(channel, "Yes, said Ann")) ?? Effect.void
      assert.deepInclude(discord.chat(to.chatId)[0], { text: "Yes, said Ann", buttons: [] })
      discord.fail("editMessage", { retryAfter: 3 })
      const exit = yield* Effect.exit(channel.edit?.(ref, pieceOf(channel, "x")) ?? Effect.void)
      assert.deepStrictEqual(reasonOf(exit), { _tag: "TooFast", retryAfterMs: 3_000, scope: "edits" })
    }).pipe(Effect.scoped)
  )
})
