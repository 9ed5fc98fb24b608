/** Bad inputs of people, channels and agents: each is handled and reported, and the next message is answered. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import type { Incoming } from "../../src/bridge/messages/Incoming.ts"
import type { Saying } from "../../src/testing/channels/people.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const answers: Readonly<Record<string, string>> = {
  "answer 42 kB": Array.from({ length: 600 }, (_, at) => `line ${at} ${"word ".repeat(12)}`).join("\n"),
  "answer nothing": "",
  "answer a fence": "```\n```",
  "answer an open fence": `\`\`\`ts\n${"const a = 1\n".repeat(900)}`,
  "answer a table": `|${"a|".repeat(40)}\n|${"-|".repeat(40)}\n${`|${"cell|".repeat(40)}\n`.repeat(40)}`,
  "answer links": Array.from({ length: 3_000 }, (_, at) => `[${at}](https://example.org/${at})`).join(" "),
  "answer odd": "\ud800 \u202e\u0000\u200b\ufeff end"
}

const agent = TestRuntime.layer(({ prompt }) => [
  { type: "text", text: answers[prompt] ?? `heard ${prompt.length}: ${prompt.slice(0, 100)}` }
])

const received: ReadonlyArray<
  readonly [name: string, say: ReadonlyArray<readonly [string, Saying?]>, reported: string]
> = [
  ["nothing", [[""]], "I accept text, images and files"],
  ["only what cannot be seen", [["\u200b\u00a0\ufeff"]], "I accept text, images and files"],
  ["4,096 × an emoji", [["👩‍👩‍👧‍👦".repeat(372)]], "heard 4092"],
  ["half of a character, right to left, zero width, NUL", [["a\ud800b\u202ec\u200bd\0e"]], "heard"],
  ["a text that was cut into ten", Array.from({ length: 10 }, () => ["x".repeat(4_000)] as const), "heard 40"],
  ["100 kB and more", [["x".repeat(100_001)]], "has 100001 characters, and the limit is 100000"],
  ["10 MB", [["x".repeat(10_000_000)]], "Send it as a file."],
  [
    "a voice message",
    [["", { attachments: [{ name: "v.ogg", content: "x", kind: "voice" }] }]],
    "nothing here transcribes it"
  ],
  ["a reply to what is gone", [["and now?", { replyTo: "m999" }]], "heard 8: and now?"],
  ["a name that is markup", [["hi", { sender: { name: "[x](http://y)\n\u202e".repeat(500) } }]], "heard 2"],
  ["a command of its own five times", Array.from({ length: 5 }, () => ["/stop"] as const), "Nothing is running."],
  ["an answer of 42 kB", [["answer 42 kB"]], "the whole text is in the file"],
  ["an answer of nothing", [["answer nothing"]], "finished without an answer"],
  ["an answer that is a fence", [["answer a fence"]], "```"],
  ["an answer with an open fence", [["answer an open fence"]], "const a = 1"],
  ["an answer with 40 columns", [["answer a table"]], "cell"],
  ["an answer with 3,000 links", [["answer links"]], "https://example.org/0"],
  ["an answer with odd characters", [["answer odd"]], "end"]
]

const opened = Effect.fnUntraced(function* (channel: Parameters<Effect.Success<ReturnType<typeof bridgeOf>>>[0] = {}) {
  const bridge = yield* (yield* bridgeOf(agent))(channel)
  const { say, shown: visible } = bridge
  return {
    ...bridge,
    /** Sends a further message, which is answered after any input. */
    isWell: Effect.gen(function* () {
      yield* say("are you well?")
      yield* visible("ann", "heard 13: are you well?")
    })
  }
})

describe("a bridge that gets", () => {
  it.live.each(received)("%s reports the outcome, and continues", ([, sayings, reported]) =>
    Effect.gen(function* () {
      const { say, shown: visible, isWell, violations } = yield* opened({ limits: { text: 4_096 } })
      for (const [text, options] of sayings) yield* say(text, options)
      yield* visible("ann", reported)
      yield* isWell
      assert.deepStrictEqual(violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("an album of ten, one of them too large, takes nine in one turn", () =>
    Effect.gen(function* () {
      const { say, shown: visible, isWell, ours } = yield* opened({ limits: { downloadBytes: 1_000 }, lacks: [] })
      for (let at = 0; at < 10; at++) {
        const content = at === 4 ? "x".repeat(2_000) : `file ${at}`
        yield* say(at === 0 ? "all of these" : "", { group: "g", attachments: [{ name: `${at}.txt`, content }] })
      }
      yield* visible("ann", '"4.txt" was not accepted')
      yield* visible("ann", "all of these")
      yield* isWell
      assert.strictEqual(ours("ann").filter(({ text }) => text.startsWith("heard")).length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("fifty messages in a second takes twenty, and reports the others once", () =>
    Effect.gen(function* () {
      const { say, shown: visible, until, confirmed, ours } = yield* opened()
      for (let at = 0; at < 50; at++) yield* say(`message ${at};`)
      yield* visible("ann", "More than 20 messages in a minute")
      yield* until(() => (confirmed() === 50 ? true : undefined))
      yield* visible("ann", "message 0;")
      assert.strictEqual(ours("ann").filter(({ text }) => text.includes("More than 20 messages")).length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("an edit after its turn began replies that it is too late", () =>
    Effect.gen(function* () {
      const { say, edit, shown: visible, isWell } = yield* opened()
      const messageId = yield* say("one")
      yield* visible("ann", "heard 3: one")
      yield* edit(messageId, "another")
      yield* visible("ann", "the edit was ignored")
      yield* isWell
    }).pipe(Effect.scoped)
  )

  it.live("decreasing, repeated and foreign ids answers each of its own once", () =>
    Effect.gen(function* () {
      const { say, again, hear, isWell, shown: visible, ours } = yield* opened()
      yield* say("nine", { updateId: "9" })
      yield* visible("ann", "nine")
      yield* say("one", { updateId: "1" })
      yield* visible("ann", "one")
      yield* again("9")
      const conversation = { channel: "scripted", accountId: "other", chatId: "ann" }
      const message: ChannelMessage = {
        ...{ conversation, updateId: "foreign", chat: "direct", sentAt: 0, text: "foreign", attachments: [] },
        ...{ sender: { id: "ann", isBot: false }, addressed: true }
      }
      yield* hear({ _tag: "Message", message })
      yield* isWell
      const texts = ours("ann").map(({ text }) => text)
      assert.deepStrictEqual(texts.filter((text) => text.includes("nine")).length, 1)
      assert.isFalse(texts.some((text) => text.includes("foreign")))
    }).pipe(Effect.scoped)
  )

  it.live("its removal from a group keeps what it could not send, and serves the others", () =>
    Effect.gen(function* () {
      const { say, leave, isWell, until, calls } = yield* opened()
      yield* leave("team")
      yield* say("hello", { from: "ann", chat: "team" })
      yield* until(() => calls().find(({ method }) => method === "send"))
      yield* isWell
    }).pipe(Effect.scoped)
  )

  it.live("invalid updates of a channel ignores them, and continues", () =>
    Effect.gen(function* () {
      const { hear, isWell } = yield* opened()
      const conversation = { channel: "scripted", accountId: "bot", chatId: "ann" }
      const own = { conversation, chat: "direct", sender: { id: "ann", isBot: false } } as const
      const odd: ReadonlyArray<Incoming> = [
        { _tag: "Edited", ...own, updateId: "e1", messageId: "nobody", text: "x" },
        { _tag: "Edited", ...own, updateId: "e2", messageId: "nobody" },
        { _tag: "StopAsked", ...own, updateId: "s" },
        { _tag: "Pressed", ...own, updateId: "p", data: "", press: null },
        { _tag: "Receipt", conversation, messageId: "nobody", state: "read" } as unknown as Incoming
      ]
      for (const incoming of odd) yield* hear(incoming)
      yield* isWell
    }).pipe(Effect.scoped)
  )
})
