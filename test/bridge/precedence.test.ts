/** Which agent answers, and in which session: precedence of text, replied message, command, topic, chat, project, host. */
import { tmpdir } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import { makeSessionPicker } from "../../src/bridge/serve/resumeLines.ts"
import { StoreError, UnknownSession } from "../../src/contract/StoreError.ts"
import { resumableClis } from "../../src/conversations/ResumeLine.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const names = ["host", "project", "chat", "topic", "directive"] as const

const agents = Object.fromEntries(
  names.map((name) => [name, TestRuntime.layer([{ type: "text", text: `the agent of the ${name}` }])])
)

/** Each source together with all sources before it. */
const options: Readonly<Record<(typeof names)[number], Partial<BridgeOptions>>> = {
  host: { agent: "host" },
  project: { directories: { shop: { path: tmpdir(), agent: "project" } }, directory: "shop" },
  chat: { chats: { team: { agent: "chat" } } },
  topic: {},
  directive: {}
}

describe("a message is answered by the agent", () => {
  it.live.each(names)("of the %s before those of weaker sources", (name) =>
    Effect.gen(function* () {
      const at = names.indexOf(name)
      const input = Object.assign({}, ...names.slice(0, at + 1).map((each) => options[each]))
      const { chat, say, until } = yield* (yield* bridgeOf(TestRuntime.layer([]), { ...input, agents }))()
      const place = { from: "ann", chat: "team", thread: "t" }
      const visible = (part: string) =>
        until(() => chat(place.chat, place.thread).find(({ isOurs, text }) => isOurs && text.includes(part)))
      if (at >= names.indexOf("topic")) {
        yield* say("/agent topic", place)
        yield* visible("topic")
      }
      yield* say(name === "directive" ? "/directive and now?" : "and now?", place)
      yield* visible(`the agent of the ${name}`)
    }).pipe(Effect.scoped)
  )
})

const conversation = { channel: "test", accountId: "bot", chatId: "ann" }

/** The session that a message picks, and its prompt for the agent. */
const picked = (text: string, replied?: string, ours = true) =>
  Effect.gen(function* () {
    const adopted: Array<string> = []
    const unknown = Effect.fail(new StoreError({ reason: new UnknownSession({ session: "abc" }) }))
    const pick = makeSessionPicker(
      resumableClis(),
      {
        get: () => unknown,
        list: () => Stream.empty,
        adopt: (session) => {
          if (typeof session === "object" && "sessionId" in session) adopted.push(session.sessionId)
          return unknown
        }
      },
      { answerer: () => Effect.succeed({ cli: "claude", directory: "/", isLive: true }), close: () => Effect.void }
    )
    const message: ChannelMessage = {
      ...{ conversation, updateId: "1", chat: "direct", sentAt: 0, sender: { id: "ann", isBot: false } },
      ...{ text, attachments: [], addressed: true },
      ...(replied === undefined ? {} : { replyTo: { messageId: "0", text: replied, ours } })
    }
    const request = yield* pick(message, "owner")
    return { adopted: adopted[0], asked: request.message.text }
  })

describe("a session is resumed", () => {
  it.effect.each([
    ["as the bridge writes it", "Done.\n\nclaude · 3 s\nclaude --resume abc"],
    ["in several messages", "Done.\n\nclaude · 3 s\nclaude --resume abc\n\n(2/2)"],
    ["with back-ticks", "`claude --resume abc`"],
    ["with an emoji", "↩️ claude --resume abc"],
    ["with an emoji of several signs", "👩🏽‍💻 `claude --resume abc`"],
    ["with an arrow", "→ claude --resume abc"],
    ["as a quotation", "> claude --resume abc"],
    ["as a nested quotation, with an emoji", "> > ✅ `claude -r abc`"]
  ])("by a reply to a message of the bridge that names it: %s", ([, replied]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* picked("go on", replied)).adopted, "abc")
      assert.isUndefined((yield* picked("go on", replied, false)).adopted)
    })
  )

  it.effect("by the line of the text rather than that of the reply, and never by a quoted line", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* picked("claude --resume own\nand now?", "claude --resume abc")).adopted, "own")
      assert.strictEqual((yield* picked("✅ claude --resume own", "claude --resume abc")).adopted, "own")
      assert.deepStrictEqual(yield* picked("> claude --resume own\nand now?"), {
        adopted: undefined,
        asked: "> claude --resume own\nand now?"
      })
    })
  )
})
