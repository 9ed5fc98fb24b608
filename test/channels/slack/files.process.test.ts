/** Files of Slack in both ways, the errors of sends, and a look at the app. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { SendReason } from "../../../src/bridge/messages/SendError.ts"
import type { SlackFault } from "../../../src/testing.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { pieceOf } from "../telegram/kit.ts"
import { direct, place, start } from "./kit.ts"

const live = (name: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(test()))

const file = import.meta.filename
const piece = { text: "a file", body: { text: "", blocks: [], file: true }, file }

describe("files", () => {
  live("go out with a number of their message, are found, and are not visible when the upload is cut", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start()
      slack.fail("upload", "cutAfter")
      const cut = yield* Effect.flip(channel.send(place, piece, "k"))
      assert.deepStrictEqual([cut.reason._tag, slack.chat(direct)], ["Unreachable", []])
      const before = yield* channel.send(place, pieceOf(channel, "before"), "b")
      slack.fail("files.completeUploadExternal", "cutAfter")
      assert.strictEqual((yield* Effect.flip(channel.send(place, piece, "k"))).reason._tag, "Unknown")
      const [, view] = slack.chat(direct)
      const found = yield* channel.find?.(place, piece, "k", before.messageId) ?? Effect.undefined
      assert.strictEqual(found?.messageId, view?.messageId)
      const sent = yield* channel.send(place, piece, "k2")
      const last = slack.chat(direct).at(-1) ?? assert.fail("no file")
      assert.strictEqual(sent.messageId, last.messageId)
      assert.deepStrictEqual(Buffer.from(slack.fileOf(last) ?? []), readFileSync(file))
    })
  )

  live("come in, and a page to sign in is not taken for one", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start()
      const folder = yield* makeDirectory
      const posted = slack.say("", { document: { name: "a.txt", content: "hello" } })
      const id = posted.files[0]?.id ?? ""
      yield* channel.download?.(id, join(folder, "a")) ?? Effect.void
      assert.strictEqual(readFileSync(join(folder, "a"), "utf8"), "hello")
      const other = yield* start({ token: slack.token, scopes: ["chat:write"] })
      const failure = yield* Effect.flip(Effect.asVoid(other.channel.download?.(id, join(folder, "b")) ?? Effect.void))
      assert.include(JSON.stringify(failure), "files:read")
    })
  )
})

describe("a refusal of Slack", () => {
  it.live.each<[SlackFault, SendReason]>([
    [{ error: "is_archived" }, { _tag: "Gone", what: "chat" }],
    [{ error: "thread_not_found" }, { _tag: "Gone", what: "thread" }],
    [{ error: "internal_error" }, { _tag: "Unknown" }],
    [{ error: "ratelimited" }, { _tag: "TooFast", retryAfterMs: 5_000, scope: "chat" }],
    [{ error: "msg_blocks_too_long" }, { _tag: "Refused", description: "msg_blocks_too_long" }],
    ["invalidJson", { _tag: "Unknown" }]
  ])("%j means %j", ([fault, reason]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { slack, channel } = yield* start()
        slack.fail("chat.postMessage", fault)
        const failure = yield* Effect.flip(channel.send(place, pieceOf(channel, "x"), "k"))
        assert.deepStrictEqual(failure.reason, reason)
      })
    )
  )

  live("of an edit for its pace holds all edits", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start()
      const ref = yield* channel.send(place, pieceOf(channel, "x"), "k")
      slack.fail("chat.update", { retryAfter: 7 })
      const failure = yield* Effect.flip(channel.edit?.(ref, pieceOf(channel, "y")) ?? Effect.die("no edit"))
      assert.deepStrictEqual(failure.reason, { _tag: "TooFast", retryAfterMs: 7_000, scope: "allEdits" })
    })
  )
})

describe("a look at an app", () => {
  live("finds missing scopes, channels without the bot, and another reader", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start({}, { groups: { "*": {}, C1: {}, C2: {} } })
      slack.open("C1")
      slack.open("C2", { isMember: false })
      const words = Effect.map(channel.check, (all) => all.map(({ level, message }) => `${level}: ${message}`))
      assert.deepStrictEqual(yield* words, [
        "ok: The token is that of @reins in Test.",
        "warning: The bot is not in the channel C2."
      ])
      const answer = yield* Effect.promise(() =>
        fetch(`${slack.url}/apps.connections.open`, {
          method: "POST",
          headers: { authorization: `Bearer ${slack.appToken}` }
        }).then((response) => response.json())
      )
      const socket = new WebSocket(String(Object(answer)["url"]))
      yield* Effect.promise(() => slack.until(() => slack.listeners() === 1 || undefined))
      assert.include((yield* words).join("\n"), "failure: Another program reads this app's events")
      socket.close()
      const less = yield* start({ scopes: ["chat:write"] })
      assert.include(
        (yield* less.channel.check).map(({ message }) => message),
        "The app lacks the scope im:history."
      )
    })
  )
})
