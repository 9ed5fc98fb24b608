/** Waiting messages: behind a turn, with buttons that drop them or start them; and during a pause. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })

/** Works on prompts with "long" until it is released. */
const held = Effect.gen(function* () {
  const [begun, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const agent = TestRuntime.layer(({ prompt }) =>
    prompt === "long"
      ? Stream.fromEffect(
          Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(release)), Effect.as(text("long done")))
        )
      : [text(`heard: ${prompt}`)]
  )
  return { agent, begun: Deferred.await(begun), release: Deferred.succeed(release, undefined) }
})

const opened = Effect.fnUntraced(function* (options: Parameters<typeof bridgeOf>[1] = {}, channel = {}) {
  const work = yield* held
  const bridge = yield* (yield* bridgeOf(work.agent, options))(channel)
  yield* bridge.say("long")
  yield* work.begun
  return { ...work, ...bridge }
})

describe("a waiting message", () => {
  it.live("has a notice with its place, which is removed when its turn begins", () =>
    Effect.gen(function* () {
      const { say, shown: visible, release, until, ours } = yield* opened()
      yield* say("one")
      assert.deepStrictEqual((yield* visible("ann", "Queued · 1")).buttons, ["Drop", "Now"])
      yield* say("two")
      yield* visible("ann", "Queued · 2")
      yield* release
      const { text: answer } = yield* visible("ann", "heard: one")
      yield* until(() => (ours("ann").some(({ text: content }) => content.startsWith("Queued")) ? undefined : true))
      // Messages in quick succession are one turn.
      assert.include(answer, "two")
      assert.deepStrictEqual(
        ours("ann").map(({ text: content }) => content),
        ["long done", answer]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is dropped by its button, once, and only itself", () =>
    Effect.gen(function* () {
      const {
        say,
        press,
        shown: visible,
        release,
        until,
        ours,
        acknowledgements,
        hear
      } = yield* opened({}, { lacks: ["remove"] })
      yield* say("one")
      const { messageId } = yield* visible("ann", "Queued · 1")
      yield* say("two")
      yield* visible("ann", "Queued · 2")
      yield* press(messageId, "Drop")
      yield* until(() => acknowledgements()[0])
      const forged = { conversation: { channel: "scripted", accountId: "bot", chatId: "ann" }, chat: "direct" } as const
      for (const data of ["q:d:0123456789abcdef", "q:n:0123456789abcdef", "q:d:", "q:x:0123456789abcdef"]) {
        const sender = { id: "ann", isBot: false }
        yield* hear({ _tag: "Pressed", ...forged, updateId: data, sender, data, press: data })
      }
      yield* until(() => (acknowledgements().length === 5 ? true : undefined))
      yield* release
      yield* visible("ann", "heard: two")
      assert.isFalse(ours("ann").some((message) => message.text === "heard: one"))
      assert.deepStrictEqual(
        acknowledgements().map((each) => each.text),
        [
          "Dropped before it started.",
          "It is no longer waiting.",
          "It is no longer waiting.",
          "This is over.",
          "This is over."
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is dropped by a stop as a reply to it or its notice, or by its withdrawal; its notice is removed", () =>
    Effect.gen(function* () {
      const { say, shown: visible, withdraw, release, until, ours } = yield* opened()
      const isGone = (place: number) =>
        until(() => (ours("ann").some((message) => message.text === `Queued · ${place}`) ? undefined : true))
      const first = yield* say("one")
      yield* visible("ann", "Queued · 1")
      yield* withdraw(first)
      yield* isGone(1)
      const second = yield* say("two")
      yield* visible("ann", "Queued · 1")
      yield* say("/stop", { replyTo: second })
      yield* visible("ann", "Dropped")
      yield* isGone(1)
      yield* say("three")
      const { messageId } = yield* visible("ann", "Queued · 1")
      yield* say("/stop", { replyTo: messageId })
      yield* isGone(1)
      yield* say("four")
      yield* release
      yield* visible("ann", "heard: four")
      const content = ours("ann").map((message) => message.text)
      assert.deepStrictEqual(
        content.filter((each) => !each.startsWith("Dropped")),
        ["long done", "heard: four"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("of a finished turn does not stop another one when it is replied to", () =>
    Effect.gen(function* () {
      const work = yield* held
      const { say, shown: visible } = yield* (yield* bridgeOf(work.agent))()
      const over = yield* say("short")
      yield* visible("ann", "heard: short")
      yield* say("long")
      yield* work.begun
      yield* say("/stop", { replyTo: over })
      yield* visible("ann", "to stop it, send /stop, not as a reply")
      yield* work.release
      yield* visible("ann", "long done")
    }).pipe(Effect.scoped)
  )

  it.live("is not edited into a text that would be refused, and its sender is told so", () =>
    Effect.gen(function* () {
      const { say, edit, shown: visible, release } = yield* opened()
      const messageId = yield* say("one")
      yield* visible("ann", "Queued · 1")
      yield* edit(messageId, "y".repeat(100_001))
      yield* visible("ann", "has 100001 characters, and the limit is 100000")
      yield* edit(messageId, "two")
      yield* release
      yield* visible("ann", "heard: two")
    }).pipe(Effect.scoped)
  )

  it.live("is refused above twenty, with a reply to each further one", () =>
    Effect.gen(function* () {
      const people = Array.from({ length: 23 }, (_, at) => `p${at}`)
      const { say, until, confirmed, ours } = yield* opened({
        access: { owners: ["ann"], users: people, groups: { ann: { mention: false } } }
      })
      const attachments = [{ name: "a", content: "x", kind: "voice" as const }]
      for (const [at, from] of people.entries()) {
        yield* say(`wait ${at}`, { from, chat: "ann", ...(at === 22 ? { attachments } : {}) })
      }
      yield* until(() => (confirmed() === 24 ? true : undefined))
      const reported = (part: string) => ours("ann").filter((message) => message.text.includes(part)).length
      yield* until(() =>
        reported("20 messages wait already") === 3 && reported("nothing here transcribes it") === 1 ? true : undefined
      )
    }).pipe(Effect.scoped)
  )

  it.live("starts by its button, which stops the running turn", () =>
    Effect.gen(function* () {
      const { say, press, shown: visible, ours } = yield* opened()
      yield* say("one")
      yield* press((yield* visible("ann", "Queued · 1")).messageId, "Now")
      yield* visible("ann", "heard: one")
      assert.isFalse(ours("ann").some((message) => message.text === "long done"))
    }).pipe(Effect.scoped)
  )
})

describe("a pause", () => {
  it.live("starts nothing until it ends, loses nothing, and is reported once in each chat", () =>
    Effect.gen(function* () {
      const { say, shown: visible, release, ours } = yield* opened()
      yield* say("/pause")
      yield* visible("ann", "Paused")
      yield* say("/pause", { from: "bob" })
      yield* visible("bob", "is only for the owner")
      for (const word of ["one", "two"]) yield* say(word, { from: "bob" })
      yield* visible("bob", "An owner has paused me")
      yield* say("/status", { from: "bob" })
      yield* visible("bob", "2 waiting. Paused by an owner.")
      yield* release
      yield* visible("ann", "long done")
      assert.isFalse(ours("bob").some((message) => message.text.startsWith("heard")))
      yield* say("/pause")
      yield* visible("ann", "No longer paused.")
      yield* visible("bob", "heard: ")
      assert.strictEqual(ours("bob").filter((message) => message.text.includes("has paused me")).length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("precedes a restart, which waits for the agents", () =>
    Effect.gen(function* () {
      const done: Array<string> = []
      const restarted = yield* Deferred.make<void>()
      const onRestart = () =>
        Effect.andThen(
          Effect.sync(() => done.push("restart")),
          Deferred.succeed(restarted, undefined)
        )
      const { say, shown: visible, release } = yield* opened({ onRestart: () => Effect.asVoid(onRestart()) })
      yield* say("/restart")
      yield* visible("ann", "I restart when")
      assert.deepStrictEqual(done, [])
      yield* release
      yield* visible("ann", "long done")
      yield* Deferred.await(restarted)
    }).pipe(Effect.scoped)
  )

  it.live("is not begun by /restart if the host cannot restart", () =>
    Effect.gen(function* () {
      const { say, shown: visible } = yield* opened()
      yield* say("/restart")
      yield* visible("ann", "That is not possible here.")
    }).pipe(Effect.scoped)
  )
})
