/** Sends, looks, edits, removals, files and acknowledgements at a fake Slack. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Pressed } from "../../../src/bridge/messages/Incoming.ts"
import { makeDownload } from "../../../src/channels/slack/incoming/download.ts"
import { render } from "../../../src/channels/slack/outgoing/render.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { channel, direct, pieceOf, placeOf, start, tagOf } from "./outgoing.ts"

describe("a message to Slack", () => {
  it.live("is posted with a key and in its thread, unfurls nothing and notifies nobody", () =>
    Effect.gen(function* () {
      const { slack, send } = yield* start()
      const root = slack.say("hello", { chat: channel })
      const to = placeOf(channel, root.messageId)
      const ref = yield* send(to, pieceOf("**no** <!channel> @here"), "row 1")
      const message = slack.chat(channel, root.messageId).at(-1)
      assert.deepStrictEqual(ref, { conversation: to, messageId: message?.messageId ?? "" })
      assert.deepInclude(message, {
        text: "no <!channel> @here",
        notification: "no &lt;!channel&gt; @here",
        thread: root.messageId,
        notifies: []
      })
      assert.match(String(message?.metadata?.event_payload["key"]), /^[\w-]{32}$/)
      assert.deepInclude(slack.calls().at(-1)?.params, { unfurl_links: "false", unfurl_media: "false" })
    }).pipe(Effect.scoped)
  )

  it.live("is found by its key alone when its answer was lost, and is absent if it was never taken", () =>
    Effect.gen(function* () {
      const { slack, send, find } = yield* start()
      const root = slack.say("hello", { chat: channel })
      for (const to of [placeOf(direct), placeOf(channel), placeOf(channel, root.messageId)]) {
        const piece = pieceOf("the same words")
        const { messageId } = yield* send(to, piece, "earlier")
        for (const fault of ["cutBefore", "cutAfter"] as const) {
          slack.fail("chat.postMessage", fault)
          assert.strictEqual(tagOf(yield* Effect.exit(send(to, piece, fault))), "Unknown")
        }
        for (let other = 0; other < 3; other++) slack.say("the same words", { chat: to.chatId })
        const found = yield* find(to, piece, "cutAfter", messageId)
        assert.isTrue(slack.chat(to.chatId).some((each) => each.messageId === found?.messageId && each.isOurs))
        assert.notStrictEqual(found?.messageId, messageId)
        assert.isUndefined(yield* find(to, piece, "cutBefore", messageId))
        assert.isUndefined(yield* find(to, piece, "earlier", messageId))
        assert.strictEqual((yield* find(to, piece, "earlier", undefined))?.messageId, messageId)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is not called absent while there is more to look at", () =>
    Effect.gen(function* () {
      const { slack, find } = yield* start()
      const first = slack.say("first", { chat: channel })
      for (let count = 0; count < 401; count++) slack.say(`${count}`, { chat: channel })
      const [to, piece] = [placeOf(channel), pieceOf("x")]
      assert.strictEqual(tagOf(yield* Effect.exit(find(to, piece, "k", first.messageId))), "Unknown")
      assert.isUndefined(yield* find(to, piece, "k", undefined))
      slack.fail("conversations.history", "cutBefore")
      assert.strictEqual(tagOf(yield* Effect.exit(find(to, piece, "k", undefined))), "Unknown")
    }).pipe(Effect.scoped)
  )

  it.live("goes without marks where Slack does not take them, with its buttons", () =>
    Effect.gen(function* () {
      const { slack, send, edit } = yield* start()
      const [piece] = render({ text: "**May** I?", buttons: [[{ label: "Yes", data: "y" }]] })
      if (piece === undefined) return assert.fail("no piece")
      slack.fail("chat.postMessage", { error: "invalid_blocks" })
      const ref = yield* send(placeOf(direct), piece, "k")
      slack.fail("chat.update", { error: "msg_blocks_too_long" })
      yield* edit(ref, piece)
      const [message] = slack.chat(direct)
      assert.deepInclude(message, { text: "May I?", buttons: ["Yes"], edited: true })
      assert.strictEqual(message?.blocks[0]?.["type"], "section")
      assert.lengthOf(slack.chat(direct), 1)
    }).pipe(Effect.scoped)
  )

  it.live("fails by what became of it", () =>
    Effect.gen(function* () {
      const { slack, send } = yield* start()
      slack.open("C2", { isArchived: true })
      const piece = pieceOf("x")
      const at = (chatId: string, thread?: string) =>
        Effect.map(Effect.result(send(placeOf(chatId, thread), piece, "k")), (result) =>
          result._tag === "Failure" ? result.failure.reason : "done"
        )
      assert.deepStrictEqual<unknown>(yield* at("C2"), { _tag: "Gone", what: "chat" })
      assert.deepStrictEqual<unknown>(yield* at("C404"), { _tag: "Gone", what: "chat" })
      assert.deepStrictEqual<unknown>(yield* at("../../x"), { _tag: "Gone", what: "chat" })
      assert.deepStrictEqual<unknown>(yield* at(channel, "1600000000.000001"), { _tag: "Gone", what: "thread" })
      slack.fail("chat.postMessage", { retryAfter: 3 })
      assert.deepStrictEqual<unknown>(yield* at(channel), { _tag: "TooFast", retryAfterMs: 3_000, scope: "chat" })
      slack.revoke()
      assert.deepStrictEqual<unknown>(yield* at(direct), { _tag: "Unreachable" })
      const bare = yield* start({ scopes: ["chat:read"] })
      const error = yield* Effect.flip(bare.send(placeOf(direct), piece, "k"))
      assert.deepStrictEqual<unknown>(error.reason, { _tag: "Refused", description: "the app lacks chat:write" })
    }).pipe(Effect.scoped)
  )

  it.live("is changed as often as one likes, and removed", () =>
    Effect.gen(function* () {
      const { slack, send, edit, remove } = yield* start()
      const ref = yield* send(placeOf(direct), pieceOf("at work"), "k")
      for (let time = 0; time < 2; time++) yield* edit(ref, pieceOf("ש".repeat(2_999)))
      assert.strictEqual(slack.chat(direct)[0]?.text, "ש".repeat(2_999))
      slack.fail("chat.update", { retryAfter: 2 })
      const held = yield* Effect.flip(edit(ref, pieceOf("x")))
      assert.deepStrictEqual<unknown>(held.reason, { _tag: "TooFast", retryAfterMs: 2_000, scope: "allEdits" })
      for (let time = 0; time < 2; time++) yield* remove(ref)
      assert.deepStrictEqual(slack.chat(direct), [])
      const gone = yield* Effect.flip(edit({ ...ref, messageId: "404" }, pieceOf("x")))
      assert.deepStrictEqual<unknown>(gone.reason, { _tag: "Gone", what: "message" })
    }).pipe(Effect.scoped)
  )
})

describe("a file", () => {
  const fileIn = (folder: string, name: string, content: string) =>
    Effect.promise(async () => {
      const path = join(folder, name)
      await writeFile(path, content)
      return { text: name, body: { text: "" }, file: path }
    })

  it.live("is uploaded into its thread; a cut before the last step is no copy", () =>
    Effect.gen(function* () {
      const { slack, send, find } = yield* start()
      const root = slack.say("hello", { chat: channel })
      const to = placeOf(channel, root.messageId)
      const piece = yield* fileIn(yield* makeDirectory, "a é.txt", "content")
      for (const [method, fault, tag] of [
        ["files.getUploadURLExternal", "cutBefore", "Unreachable"],
        ["upload", "cutBefore", "Unreachable"],
        ["upload", { error: "x", status: 413 }, "Refused"],
        ["files.completeUploadExternal", "cutBefore", "Unknown"]
      ] as const) {
        slack.fail(method, fault)
        assert.strictEqual(tagOf(yield* Effect.exit(send(to, piece, "k"))), tag)
      }
      assert.lengthOf(slack.chat(channel), 1)
      assert.isUndefined(yield* find(to, piece, "k", root.messageId))
      const ref = yield* send(to, piece, "k")
      const message = slack.chat(channel, root.messageId).at(-1)
      assert.deepStrictEqual([message?.messageId, message?.files[0]?.name], [ref.messageId, "a é.txt"])
      assert.strictEqual(new TextDecoder().decode(message && slack.fileOf(message)), "content")
      assert.strictEqual((yield* find(to, piece, "k", root.messageId))?.messageId, ref.messageId)
      const bare = yield* start({ scopes: ["files:write"] })
      assert.match((yield* bare.send(placeOf(direct), piece, "k")).messageId, /^F/)
    }).pipe(Effect.scoped)
  )

  it.live("is refused if it is missing, empty or a folder", () =>
    Effect.gen(function* () {
      const { slack, send } = yield* start()
      const folder = yield* makeDirectory
      const empty = yield* fileIn(folder, "empty", "")
      for (const file of [join(folder, "missing"), folder, empty.file])
        assert.strictEqual(tagOf(yield* Effect.exit(send(placeOf(direct), { ...empty, file }, "k"))), "Refused")
      assert.deepStrictEqual(slack.calls(), [])
    }).pipe(Effect.scoped)
  )

  it.live("of a person is downloaded with the token, and the page to sign in is no file", () =>
    Effect.gen(function* () {
      const { slack, checked, client } = yield* start()
      const path = join(yield* makeDirectory, "f")
      const { files } = slack.say("", { document: { content: "theirs", name: "a.txt" } })
      const download = (more: object = {}) =>
        makeDownload({ ...checked, client, mostBytes: 100, ...more })(files[0]?.id ?? "", path)
      yield* download()
      assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "theirs")
      const page = yield* Effect.flip(download({ botToken: "xoxb-1-2-other" }))
      assert.deepStrictEqual<unknown>(page.reason, { _tag: "Refused", description: "the app lacks files:read" })
      assert.include((yield* Effect.flip(download({ mostBytes: 3 }))).message, "larger")
      for (const id of ["F404", "../x"])
        assert.strictEqual(
          tagOf(yield* Effect.exit(makeDownload({ ...checked, client, mostBytes: 100 })(id, path))),
          "Gone"
        )
      const lie = { call: () => Effect.succeed({ file: { url_private_download: "https://files.example/x" } }) }
      assert.strictEqual(tagOf(yield* Effect.exit(download({ client: lie }))), "Refused")
    }).pipe(Effect.scoped)
  )
})

describe("a press", () => {
  const pressOf = (responseUrl: string): Pressed => ({
    _tag: "Pressed",
    conversation: placeOf(direct),
    updateId: "u",
    chat: "direct",
    sender: { id: "U1001", isBot: false },
    data: "y",
    press: { responseUrl }
  })

  it.live("is answered to the person alone, at Slack alone, and never fails", () =>
    Effect.gen(function* () {
      const { slack, send, acknowledge } = yield* start()
      const [piece] = render({ text: "May I?", buttons: [[{ label: "Yes", data: "y" }]] })
      if (piece === undefined) return assert.fail("no piece")
      yield* send(placeOf(direct), piece, "k")
      const origin = new URL(slack.url).origin
      const others = [
        `${origin.replace("127.0.0.1", "localhost")}/actions/T0/none`,
        `${origin.replace("127.0.0.1", "127.0.0.1:1@127.0.0.1")}/x`,
        "http://hooks.slack.com/x",
        "file:///etc/passwd",
        ""
      ]
      for (const url of others) yield* acknowledge(pressOf(url), "Allowed")
      yield* acknowledge(pressOf(`${origin}/actions/T0/none`))
      yield* acknowledge({ ...pressOf(""), press: null }, "Allowed")
      assert.isFalse(slack.calls().some(({ method }) => method === "response_url"))
      for (const fault of ["cutBefore", { error: "x", status: 404 }] as const) {
        slack.fail("response_url", fault)
        yield* acknowledge(pressOf(`${origin}/actions/T0/none`), "Allowed")
      }
      const [params] = slack.calls().flatMap((call) => (call.method === "response_url" ? [call.params] : []))
      assert.deepStrictEqual(params, { response_type: "ephemeral", replace_original: false, text: "Allowed" })
    }).pipe(Effect.scoped)
  )
})
