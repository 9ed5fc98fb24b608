/** The journal keeps what it was given, in order and once, whatever its store is on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { accountLock, takeAccount } from "../../../src/bridge/journal/account.ts"
import { addedTo } from "../../../src/bridge/journal/inbox.ts"
import { Journal } from "../../../src/bridge/journal/Journal.ts"
import type { NewPiece } from "../../../src/bridge/journal/outbox.ts"
import type { ChannelMessage } from "../../../src/bridge/messages/ChannelMessage.ts"
import { conversationText } from "../../../src/bridge/messages/Conversation.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { openIn, storeKinds } from "../../conversations/store/stores.ts"

const conversation = { channel: "test", accountId: "bot", chatId: "1" }
const other = { ...conversation, chatId: "2" }

const message = (updateId: string, text: string, chat = conversation): ChannelMessage => ({
  conversation: chat,
  updateId,
  messageId: `m${updateId}`,
  chat: "direct",
  sentAt: 1,
  sender: { id: "ann", isBot: false },
  text,
  attachments: [],
  addressed: true
})

const piece = (key: string, chat = conversation, kind: NewPiece["kind"] = "answer"): NewPiece => ({
  key,
  conversation: chat,
  kind,
  piece: { text: key, body: { text: key } },
  turnId: "t"
})

const own = Effect.gen(function* () {
  return yield* (yield* Journal).own("test", "bot")
})

describe.each(storeKinds)("the journal in $name", ({ place, isShared }) => {
  const withJournal = <A, E>(body: Effect.Effect<A, E, Journal | Scope.Scope>) =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* place)
      return yield* Effect.provide(body, Journal.layer.pipe(Layer.provide(Layer.succeed(Store, store))))
    }).pipe(Effect.scoped)

  it.live("shows who has an account, and takes nothing by looking", () =>
    Effect.gen(function* () {
      const layer = yield* place
      const store = yield* openIn(layer)
      const other = isShared ? yield* openIn(layer) : store
      const look = accountLock(other, "test", "bot")
      assert.deepStrictEqual(yield* look, { isHere: false, isTaken: false })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* takeAccount(store, "test", "bot")
          assert.deepStrictEqual(yield* look, { isHere: true, isTaken: true })
          assert.deepStrictEqual(yield* accountLock(other, "test", "another"), { isHere: false, isTaken: false })
        })
      )
      assert.deepStrictEqual(yield* look, { isHere: false, isTaken: false })
    }).pipe(Effect.scoped)
  )

  it.live("takes each message in once, in order, with the channel's mark", () =>
    withJournal(
      Effect.gen(function* () {
        const { inbox, marks } = yield* own
        assert.isTrue(yield* inbox.accept(message("1", "with \u0000 and \ud83d\ude00"), { mark: "a" }))
        assert.isTrue(yield* inbox.accept(message("2", "two")))
        assert.isFalse(yield* inbox.accept(message("1", "again"), { mark: "b" }))
        assert.isTrue(yield* inbox.accept(message("3", "nobody's", other), { isDropped: true }))
        assert.strictEqual(yield* marks.get("incoming"), "b")
        const waiting = yield* inbox.waiting(conversationText(conversation))
        assert.deepStrictEqual(
          waiting.map((row) => row.message.text),
          ["with \u0000 and \ud83d\ude00", "two"]
        )
        assert.strictEqual(yield* inbox.amend(conversation, "m2", "deux"), "Amended")
        assert.strictEqual(yield* inbox.amend(conversation, "m7", "deux"), "Unknown")
        assert.isTrue(yield* inbox.take(["1"], "t"))
        assert.isFalse(yield* inbox.take(["1", "2"], "u"))
        assert.strictEqual(yield* inbox.amend(conversation, "m1", "late"), "Late")
        assert.deepStrictEqual(
          (yield* inbox.open).map(({ updateId, state, turnId, message: { text } }) => [updateId, state, turnId, text]),
          [
            ["1", "taken", "t", "with \u0000 and \ud83d\ude00"],
            ["2", "waiting", undefined, "deux"]
          ]
        )
        yield* inbox.finish("t", [piece("t/0"), piece("t/1")])
        yield* inbox.finish("t", [piece("t/0"), piece("t/1")])
        assert.deepStrictEqual(yield* inbox.drop(["1", "2"]), ["2"])
        assert.deepStrictEqual(yield* inbox.open, [])
      })
    )
  )

  it.live("takes a message in for a turn under way, and lets it wait again, even behind the end of that turn", () =>
    withJournal(
      Effect.gen(function* () {
        const { inbox } = yield* own
        const added = addedTo("t")
        const open = Effect.map(inbox.open, (rows) =>
          rows.map(({ updateId, state, turnId }) => [updateId, state, turnId])
        )
        yield* inbox.accept(message("1", "and this"), { takenBy: added })
        assert.deepStrictEqual(yield* open, [["1", "taken", added]])
        assert.deepStrictEqual(yield* inbox.waitingIds(conversationText(conversation)), [])
        yield* inbox.putBack("1", addedTo("u"))
        assert.deepStrictEqual(yield* open, [["1", "taken", added]])
        yield* inbox.finish("t", [], true)
        assert.deepStrictEqual(yield* open, [])
        yield* inbox.putBack("1", added)
        assert.deepStrictEqual(yield* open, [["1", "waiting", undefined]])
        assert.deepStrictEqual(yield* inbox.waitingIds(conversationText(conversation)), ["1"])
        assert.strictEqual(yield* inbox.asked(conversation), undefined)
      })
    )
  )

  it.live("does once what a person wants of an interrupted turn, with what was added to it", () =>
    withJournal(
      Effect.gen(function* () {
        const { inbox } = yield* own
        yield* inbox.accept(message("1", "one"))
        yield* inbox.accept(message("2", "and this"))
        const states = Effect.map(inbox.open, (rows) => rows.map(({ updateId, state }) => `${updateId} ${state}`))
        const interrupt = Effect.gen(function* () {
          yield* inbox.take(["1"], "t")
          yield* inbox.take(["2"], addedTo("t"))
          yield* inbox.finish("t", [], true)
          assert.deepStrictEqual(yield* states, [])
          assert.strictEqual(yield* inbox.asked(conversation), "t")
        })
        yield* interrupt
        assert.isTrue(yield* inbox.resume("t", "again"))
        assert.isFalse(yield* inbox.resume("t", "again"))
        assert.strictEqual(yield* inbox.asked(conversation), undefined)
        assert.deepStrictEqual(yield* states, ["1 taken", "2 waiting"])
        yield* inbox.putBack("1", "t")
        yield* interrupt
        assert.isTrue(yield* inbox.resume("t", "continue"))
        assert.deepStrictEqual(yield* states, ["1 taken"])
        yield* inbox.finish("t", [])
        assert.isFalse(yield* inbox.resume("t", "continue"))
        yield* inbox.accept(message("3", "three"))
        yield* inbox.take(["3"], "u")
        yield* inbox.finish("u", [], true)
        assert.isTrue(yield* inbox.resume("u", "forget"))
        assert.deepStrictEqual(yield* states, [])
      })
    )
  )

  it.live("gives the next piece of each conversation, and steps only from the states that fit", () =>
    withJournal(
      Effect.gen(function* () {
        const { outbox } = yield* own
        yield* outbox.put([piece("a"), piece("b"), piece("c", other), piece("r", conversation, "request")])
        const heads = Effect.map(outbox.heads, (rows) => rows.map(({ key, state }) => [key, state]))
        assert.deepStrictEqual(yield* heads, [
          ["a", "ready"],
          ["c", "ready"],
          ["r", "ready"]
        ])
        assert.isTrue(yield* outbox.sending("a", "m9"))
        assert.isFalse(yield* outbox.sending("a", "m9"))
        assert.deepStrictEqual((yield* heads)[0], ["a", "sending"])
        assert.isTrue(yield* outbox.again("a", 5))
        assert.isTrue(yield* outbox.sending("a", undefined))
        const asking = { ...piece("a/ask", conversation, "ask") }
        yield* outbox.unknown("a", "cut", [asking])
        assert.deepStrictEqual(
          (yield* outbox.unknownIn(conversation)).map(({ key, tries, reason }) => [key, tries, reason]),
          [["a", 2, "cut"]]
        )
        assert.deepStrictEqual((yield* heads)[0], ["b", "ready"])
        assert.isTrue(yield* outbox.sent("a", "m10"))
        assert.strictEqual((yield* outbox.ofMessage(conversation, "m10"))?.key, "a")
        assert.isTrue(yield* outbox.hold("c"))
        assert.deepStrictEqual(
          (yield* heads).find(([key]) => key === "c"),
          ["c", "held"]
        )
        yield* outbox.release(other)
        assert.deepStrictEqual(
          (yield* heads).find(([key]) => key === "c"),
          ["c", "ready"]
        )
        assert.isTrue(yield* outbox.fail("c", "blocked"))
        assert.strictEqual((yield* outbox.counts).get("failed"), 1)
      })
    )
  )

  it.live("keeps what an agent sent, once within a minute, with what became of it", () =>
    withJournal(
      Effect.gen(function* () {
        const { sends, outbox } = yield* own
        const send = (sendId: string, text: string) =>
          sends.put({
            sendId,
            turnId: "t",
            tool: "send_message",
            conversation,
            text,
            mediaUrls: [],
            pieces: [{ key: `${sendId}/0`, piece: { text, body: {} } }]
          })
        assert.deepStrictEqual(yield* send("s1", "hello"), { _tag: "Queued", sendId: "s1" })
        assert.deepStrictEqual(yield* send("s2", "hello"), { _tag: "Same", sendId: "s1" })
        for (let index = 0; index < 19; index++) yield* send(`n${index}`, `text ${index}`)
        assert.deepStrictEqual(yield* send("s3", "one too many"), { _tag: "TooMany", most: 20 })
        const stateOf = Effect.map(sends.ofTurn("t"), (all) => all.find(({ text }) => text === "hello")?.state)
        assert.strictEqual(yield* stateOf, "queued")
        yield* outbox.sending("s1/0", undefined)
        yield* outbox.sent("s1/0", "m1")
        assert.strictEqual(yield* stateOf, "delivered")
        assert.deepStrictEqual((yield* sends.ofTurn("t")).find(({ text }) => text === "hello")?.target, {
          tool: "send_message",
          provider: "test",
          accountId: "bot",
          to: "1"
        })
      })
    )
  )

  it.live("answers a request once, and fires a schedule once a minute", () =>
    withJournal(
      Effect.gen(function* () {
        const { requests, schedules, members, chats } = yield* own
        yield* requests.put({ id: "q", conversation, turnId: "t", requestId: "r", request: "{}", deadline: 9 })
        yield* requests.shown("q", "m1")
        assert.deepInclude((yield* requests.open)[0], { id: "q", messageId: "m1", deadline: 9 })
        assert.isTrue(yield* requests.answer("q", "allow", "Ann"))
        assert.isFalse(yield* requests.answer("q", "deny", "Bob"))
        assert.isFalse(yield* requests.end("q", "restart"))
        yield* schedules.put({ id: "s", conversation, person: "ann", cron: "* * * * *", prompt: "look" })
        yield* schedules.put({ id: "once", conversation, person: "ann", runAt: 5, prompt: "look" })
        assert.deepStrictEqual(yield* schedules.list("active"), [])
        for (const id of ["s", "once"]) assert.isTrue(yield* schedules.agree(id))
        const active = yield* schedules.list("active", conversation)
        const [first, once] = ["s", "once"].map((id) => active.find((row) => row.id === id))
        assert.isDefined(first)
        assert.isDefined(once)
        if (first === undefined || once === undefined) return
        const fired = yield* Effect.forEach([60_000, 119_999, 60_000, 120_000], (at) => schedules.fire(first, at))
        assert.deepStrictEqual(fired, [true, false, false, true])
        assert.isTrue(yield* schedules.fire(once, 60_000))
        assert.isFalse(yield* schedules.fire(once, 180_000))
        assert.isTrue(yield* schedules.remove("s"))
        yield* members.add("ann", "user")
        yield* members.add("ann", "owner")
        assert.deepStrictEqual(yield* members.all, [{ person: "ann", role: "owner" }])
        yield* chats.set(conversation, "{}")
        assert.strictEqual(yield* chats.get(conversation), "{}")
        assert.isUndefined(yield* chats.get(other))
      })
    )
  )

  it.live(
    "forgets the texts of what is old, never what is still to be answered or sent, and takes nothing in again",
    () =>
      Effect.gen(function* () {
        const store = yield* openIn(yield* place)
        // Looked at each time.
        const keep = { ...store.keep }
        assert.strictEqual(keep.turnsMs, 7 * 24 * 3_600_000)
        const context = yield* Layer.build(Layer.provide(Journal.layer, Layer.succeed(Store, { ...store, keep })))
        const { inbox, outbox, requests, schedules, sends, blankOld } = yield* Effect.provideContext(own, context)
        for (const id of ["done", "dropped", "waiting"]) yield* inbox.accept(message(id, `secret ${id}`))
        yield* inbox.take(["done"], "t")
        yield* inbox.finish("t", [])
        yield* inbox.drop(["dropped"])
        for (const state of ["sent", "unknown", "held", "ready"]) {
          const piece = { text: `secret ${state}`, body: {} }
          yield* outbox.put([{ key: state, conversation, kind: "answer", piece }])
        }
        yield* outbox.sent("sent", "m1")
        yield* outbox.unknown("unknown", "cut", [])
        yield* outbox.hold("held")
        yield* requests.put({ id: "q", conversation, turnId: "t", requestId: "q", request: "secret request" })
        for (const id of ["removed", "asked"]) {
          yield* schedules.put({ id, conversation, person: "ann", cron: "0 * * * *", prompt: `secret ${id}` })
        }
        yield* schedules.remove("removed")
        const send = { sendId: "g", turnId: "t", tool: "message", conversation, text: "secret send", mediaUrls: [] }
        yield* sends.put({ ...send, pieces: [] })
        const tables = ["inbox", "outbox", "bridge_requests", "bridge_schedules", "gateway_sends"]
        const secrets = Effect.forEach(tables, (table) =>
          store.read(store.sql<object>`select * from ${store.sql(table)}`)
        ).pipe(Effect.map((rows) => [...new Set(JSON.stringify(rows).match(/secret \w+/g))]))
        const before = yield* secrets
        assert.lengthOf(before, 11)
        yield* blankOld
        assert.deepStrictEqual(yield* secrets, before)
        keep.turnsMs = -10
        yield* blankOld
        assert.deepStrictEqual(yield* secrets, ["secret waiting", "secret ready", "secret asked"])
        assert.isFalse(yield* inbox.accept(message("done", "again")))
        assert.deepStrictEqual(
          (yield* outbox.heads).map(({ key }) => key),
          ["ready"]
        )
        assert.deepStrictEqual(yield* requests.open, [])
        // A quarter later the rows go, too.
        keep.turnsMs = -91 * 24 * 3_600_000
        yield* blankOld
        const left = yield* Effect.forEach(tables, (table) =>
          Effect.map(store.read(store.sql<object>`select * from ${store.sql(table)}`), (rows) => rows.length)
        )
        assert.deepStrictEqual(left, [1, 1, 0, 1, 0])
      }).pipe(Effect.scoped)
  )

  it.live("lets one server have an account at a time, also of those that share the store", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* place)
      const first = yield* Scope.make()
      yield* Scope.provide(takeAccount(store, "test", "bot"), first)
      assert.strictEqual((yield* Effect.flip(takeAccount(store, "test", "bot")))._tag, "ChannelTaken")
      yield* takeAccount(store, "test", "another")
      yield* Scope.close(first, Exit.void)
      yield* takeAccount(store, "test", "bot")
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!isShared)("lets one server have an account, and one that was replaced change nothing", () =>
    Effect.gen(function* () {
      const layer = yield* place
      const [one, two] = [yield* openIn(layer), yield* openIn(layer)]
      const first = yield* Scope.make()
      const account = yield* Scope.provide(takeAccount(one, "test", "bot"), first)
      assert.strictEqual((yield* Effect.flip(takeAccount(two, "test", "bot")))._tag, "ChannelTaken")
      yield* Scope.close(first, Exit.void)
      yield* takeAccount(two, "test", "bot")
      const late = yield* Effect.flip(account.change(one.sql`delete from channel_servers`))
      assert.strictEqual(late._tag, "ChannelLost")
    }).pipe(Effect.scoped)
  )
})
