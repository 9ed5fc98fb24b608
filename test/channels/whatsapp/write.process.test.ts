/** Messages that are sent: to whom, in which form, once; files out and in; what shows that an agent is at work. */
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Channel } from "../../../src/bridge/messages/Channel.ts"
import type { ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"
import { isMeta } from "../../../src/channels/whatsapp/incoming/download.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { ann, annNumber, listenTo, pieceOf, place, start } from "./kit.ts"

const sendAll = (channel: Channel, payload: ReplyPayload, to = place) =>
  Effect.forEach(channel.render(payload), (piece, at) => channel.send(to, piece, `k${at}`))

const paramsOf = (calls: ReadonlyArray<{ readonly method: string; readonly params: object }>) =>
  calls.filter(({ method }) => method === "messages").map(({ params }) => params)

describe("what is written in WhatsApp", () => {
  it.live("goes to a user id or a number, with its key, without a preview", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      wa.open()
      yield* sendAll(channel, { text: "**b** https://e.org", replyToId: "wamid.AB==" })
      yield* sendAll(channel, { text: "x", replyToId: "5" }, { ...place, chatId: annNumber })
      const common = {
        messaging_product: "whatsapp",
        recipient_type: "individual",
        biz_opaque_callback_data: "k0",
        type: "text"
      }
      assert.deepStrictEqual(paramsOf(wa.calls()), [
        {
          ...common,
          recipient: ann,
          context: { message_id: "wamid.AB==" },
          text: { body: "*b* https://e.org", preview_url: false }
        },
        { ...common, to: annNumber, text: { body: "x", preview_url: false } }
      ])
      assert.deepStrictEqual(
        wa.chat().map(({ data }) => data),
        ["k0", "k0"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("has no key that WhatsApp would refuse", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      wa.open()
      yield* channel.send(place, pieceOf(channel, "x"), "ä".repeat(257))
      assert.isUndefined(wa.chat()[0]?.data)
      assert.deepStrictEqual(wa.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("asks with buttons or a list, whose answer is heard", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      const { heard: received, until } = yield* listenTo(channel)
      wa.open()
      for (const count of [2, 5]) {
        const buttons = [
          Array.from({ length: count }, (_, at) => ({ label: `Option ${at}`, data: `r:${count}:${at}` }))
        ]
        yield* sendAll(channel, { text: "Which?", buttons })
      }
      const [two, five] = wa.chat()
      assert.deepStrictEqual([two?.isList, five?.isList, five?.buttons.length], [false, true, 5])
      if (two === undefined || five === undefined) return assert.fail("nothing was asked")
      wa.press(two, "Option 1")
      wa.press(five, "Option 4")
      // Two sends have two receipts each.
      yield* until(6)
      const pressed = received.flatMap(({ incoming }) => (incoming._tag === "Pressed" ? [incoming] : []))
      assert.deepStrictEqual(
        pressed.map(({ data, messageId }) => [data, messageId]),
        [
          ["r:2:1", two.messageId],
          ["r:5:4", five.messageId]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is refused where it is of another channel, account or shape", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      const piece = pieceOf(channel, "x")
      const before = wa.calls().length
      for (const to of [
        { ...place, channel: "web" },
        { ...place, accountId: "1" },
        { ...place, chatId: "ann" },
        { ...place, chatId: "US.1001/../../me" }
      ])
        assert.strictEqual((yield* Effect.flip(channel.send(to, piece, "k"))).reason._tag, "Gone")
      const foreign = { text: "x", body: { markdown: "x" } }
      assert.strictEqual((yield* Effect.flip(channel.send(place, foreign, "k"))).reason._tag, "Refused")
      assert.strictEqual(wa.calls().length, before)
    }).pipe(Effect.scoped)
  )

  it.live("cannot be looked for", () =>
    Effect.gen(function* () {
      const { channel } = yield* start()
      const looking = channel.find?.(place, pieceOf(channel, "x"), "k", undefined) ?? Effect.die("it has no find")
      assert.deepStrictEqual((yield* Effect.flip(looking)).reason, { _tag: "Unknown" })
    }).pipe(Effect.scoped)
  )

  it.live("is on a connection of its own each time", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      wa.open()
      for (let time = 0; time < 3; time++) yield* sendAll(channel, { text: `${time}` })
      assert.isTrue(wa.connections() >= wa.calls().length)
    }).pipe(Effect.scoped)
  )

  it.effect("shows for 20 s at once that an agent is at work, and anew behind each message", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      const message = wa.say("hello")
      const work = (messageId?: string) => channel.working?.(place, messageId) ?? Effect.void
      yield* work(message.messageId)
      yield* work(message.messageId)
      assert.deepStrictEqual(wa.acknowledgements(), [{ messageId: message.messageId, isTyping: true, at: 0 }])
      yield* TestClock.adjust("20 seconds")
      yield* work(message.messageId)
      assert.strictEqual(wa.acknowledgements().length, 2)
      yield* sendAll(channel, { text: "x" })
      yield* work(message.messageId)
      assert.strictEqual(wa.acknowledgements().length, 3)
      yield* work("404")
      wa.fail("read", "badGateway")
      yield* TestClock.adjust("20 seconds")
      yield* work(message.messageId)
    }).pipe(Effect.scoped)
  )
})

describe("files in WhatsApp", () => {
  it.live("go out as their kind, and as documents where they have none", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      wa.open()
      const folder = yield* makeDirectory
      const file = (name: string, content: string | Uint8Array) => {
        writeFileSync(join(folder, name), content)
        return join(folder, name)
      }
      const [photo, text, large] = [
        file("a.PNG", "png"),
        file('b "ä;.ts', "let x"),
        file("c.jpg", new Uint8Array(5_000_001))
      ]
      yield* sendAll(channel, { text: "here", mediaUrls: [photo, text, large], replyToId: "wamid.A" })
      assert.deepStrictEqual(
        wa.chat().map(({ text: words, files }) => [words, files[0]?.kind, files[0]?.name, files[0]?.bytes]),
        [
          ["here", undefined, undefined, undefined],
          ["", "image", "a.PNG", 3],
          ["", "document", 'b "ä;.ts', 5],
          ["", "document", "c.jpg", 5_000_001]
        ]
      )
      for (const wrong of [file("empty.txt", ""), join(folder, "missing"), folder]) {
        const failure = yield* Effect.flip(sendAll(channel, { mediaUrls: [wrong] }))
        assert.strictEqual(failure.reason._tag, "Refused")
      }
      assert.deepStrictEqual(wa.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("can be uploaded again where that was cut, and may be there where the message was", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      wa.open()
      const send = Effect.flip(sendAll(channel, { mediaUrls: [import.meta.filename] }))
      for (const fault of ["cutBefore", "cutAfter", "badGatewayAfter", "invalidJson"] as const) {
        wa.fail("media", fault)
        assert.strictEqual((yield* send).reason._tag, "Unreachable", fault)
      }
      wa.fail("media", { code: 131_053, details: "Media upload error" })
      assert.deepStrictEqual((yield* send).reason, { _tag: "Refused", description: "Media upload error" })
      wa.fail("messages", "cutAfter")
      assert.strictEqual((yield* send).reason._tag, "Unknown")
      assert.strictEqual(wa.chat().length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("come in whole, for their reader alone, or not at all", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      const { heard: received, until } = yield* listenTo(channel)
      const folder = yield* makeDirectory
      const content = new Uint8Array(3_000_000).map((_, at) => at % 251)
      wa.say("look", { document: { name: "a.bin", content } })
      yield* until(1)
      const [first] = received
      const { attachments = [] } = first?.incoming._tag === "Message" ? first.incoming.message : {}
      const fileId = attachments[0]?.fileId ?? ""
      assert.strictEqual(attachments[0]?.name, "a.bin")
      const download = (id = fileId, name = "file") =>
        channel.download?.(id, join(folder, name)) ?? Effect.die("it takes no files")
      yield* download()
      assert.isTrue(Buffer.from(content).equals(readFileSync(join(folder, "file"))))
      assert.strictEqual(statSync(join(folder, "file")).mode & 0o777, 0o600)
      const tagOf = (id?: string, name?: string) =>
        Effect.map(Effect.flip(download(id, name)), ({ reason }) => reason._tag)
      assert.strictEqual(yield* tagOf("404404"), "Gone")
      assert.strictEqual(yield* tagOf("../me"), "Gone")
      assert.strictEqual(yield* tagOf(fileId, "no/such/folder"), "Refused")
      for (const fault of ["cutBefore", "badGateway"] as const) {
        wa.fail("download", fault)
        assert.strictEqual(yield* tagOf(), "Unreachable")
      }
      wa.fail("file", "badGateway")
      assert.strictEqual(yield* tagOf(), "Unknown")
    }).pipe(Effect.scoped)
  )

  it.each([
    ["https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1", true],
    ["https://mmg.whatsapp.net/x", true],
    ["http://127.0.0.1:5/x", true],
    ["http://127.0.0.1:6/x", false],
    ["https://fbsbx.com.evil.example/x", false],
    ["https://evilfbsbx.com/x", false],
    ["https://lookaside.fbsbx.com:8443/x", false],
    ["http://lookaside.fbsbx.com/x", false],
    ["https://lookaside.fbsbx.com@evil.example/x", false],
    ["file:///etc/passwd", false],
    ["nonsense", false]
  ])("are asked with the token at Meta alone: %s", (url, expected) => {
    assert.strictEqual(isMeta(url, "http://127.0.0.1:5/v26.0"), expected)
  })
})
