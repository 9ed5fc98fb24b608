/** The tables of the page on every kind of store: rows in one order, each once, and nothing of one person for another. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { conversationText } from "../../../src/bridge/messages/Conversation.ts"
import { makeConversationTable } from "../../../src/channels/web/rows/conversationTable.ts"
import { Hub } from "../../../src/channels/web/rows/hub.ts"
import type { NewRow, WebRow } from "../../../src/channels/web/rows/row.ts"
import { RowLog } from "../../../src/channels/web/rows/rowLog.ts"
import { makeRowTable, RowTable } from "../../../src/channels/web/rows/rowTable.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { openIn, storeKinds } from "../../conversations/store/stores.ts"
import { onePage } from "./page.ts"

const note = (chat: string, text: string, more: Partial<NewRow> = {}): NewRow => ({
  chat,
  at: 1,
  body: { row: "host", what: "notice", text, blocks: [] },
  ...more
})

const message = (chat: string, text: string, at = 1): NewRow => ({
  ...{ chat, at, key: `m/${chat}/${text}`, heard: JSON.stringify({ text }) },
  body: { row: "message", message: text, text, by: "Ann", state: "sent" }
})

const textsOf = (rows: ReadonlyArray<{ readonly json: string }>) => rows.map(({ json }) => JSON.parse(json).text)

describe.each(storeKinds)("the rows of a page in $name", ({ place }) => {
  const on = <A, E>(body: (store: OpenStore) => Effect.Effect<A, E>) =>
    Effect.scoped(Effect.flatMap(Effect.flatMap(place, openIn), body))

  it.live("have numbers that grow, and are written once for each key", () =>
    on(
      Effect.fnUntraced(function* (store) {
        const table = makeRowTable(store, "web")
        const first = yield* table.append([note("a/1", "one"), note("a/1", "two \u0000", { key: "k" })], 0)
        assert.deepStrictEqual(first, [
          { id: 1, isNew: true },
          { id: 2, isNew: true }
        ])
        const again = yield* table.append([note("a/1", "two", { key: "k" }), note("b/1", "three")], 0)
        assert.deepStrictEqual(again, [
          { id: 2, isNew: false },
          { id: 3, isNew: true }
        ])
        assert.strictEqual((yield* table.append([note("a/1", "later")], 40))[0]?.id, 41)
        assert.deepStrictEqual(textsOf(yield* table.after("a/1", 0)), ["one", "two \u0000", "later"])
        assert.deepStrictEqual(textsOf(yield* table.after("a/1", 2)), ["later"])
        assert.deepStrictEqual(yield* table.ends("a/1"), { oldest: 1, newest: 41 })
        assert.strictEqual(yield* table.ofKey("k"), 2)
        assert.isUndefined(yield* table.get("b/1", 1))
        assert.deepInclude(yield* table.get("a/1", 1), { id: 1, at: 1, text: "one" })
        // Another account has nothing of it.
        assert.deepStrictEqual(yield* makeRowTable(store, "other").after("a/1", 0), [])
      })
    )
  )

  it.live("are read from the newest turns back to the first", () =>
    on(
      Effect.fnUntraced(function* (store) {
        const table = makeRowTable(store, "web")
        const turns = Array.from({ length: 25 }, (_, at) => [message("a/1", `m${at}`), note("a/1", `n${at}`)]).flat()
        yield* table.append([note("a/1", "first"), ...turns], 0)
        const begin = yield* table.beforeNewest("a/1", 3)
        assert.deepStrictEqual(textsOf(yield* table.after("a/1", begin)), ["m22", "n22", "m23", "n23", "m24", "n24"])
        const before = yield* table.before("a/1", begin + 1, 2)
        assert.deepStrictEqual(textsOf(before), ["m20", "n20", "m21", "n21"])
        const all = yield* table.before("a/1", before[0]?.id ?? 0, 200)
        assert.deepStrictEqual(textsOf(all).slice(0, 2), ["first", "m0"])
        assert.strictEqual(all.length, 41)
        assert.strictEqual(yield* table.beforeNewest("a/1", 200), 0)
      })
    )
  )

  it.live("give what people wrote until it is taken", () =>
    on(
      Effect.fnUntraced(function* (store) {
        const table = makeRowTable(store, "web")
        yield* table.append([message("a/1", "one"), note("a/1", "x"), message("b/1", "two")], 0)
        const received = yield* table.heard(0)
        assert.deepStrictEqual(
          received.map(({ id, text }) => [id, JSON.parse(text).text]),
          [
            [1, "one"],
            [3, "two"]
          ]
        )
        yield* table.taken(1)
        assert.deepStrictEqual(
          (yield* table.heard(0)).map(({ id }) => id),
          [3]
        )
      })
    )
  )

  it.live("take less room once their turn is over", () =>
    on(
      Effect.fnUntraced(function* (store) {
        const table = makeRowTable(store, "web")
        const piece = (text: string, offset: number): NewRow => ({
          ...{ chat: "a/1", at: 1, turn: "t" },
          body: {
            ...{ row: "event", turn: "t", event: { type: "text", text }, offset },
            blocks: { segment: 0, from: 0, list: [] }
          }
        })
        yield* table.append([piece("one ", 0), note("b/1", "between"), piece("two ", 4), piece("three", 8)], 0)
        assert.strictEqual(yield* table.compact("t"), 2)
        assert.strictEqual(yield* table.compact("t"), 0)
        const [row] = yield* table.after("a/1", 0)
        assert.deepInclude(JSON.parse(row?.json ?? ""), {
          id: 4,
          offset: 0,
          event: { type: "text", text: "one two three" },
          blocks: { segment: 0, from: 0, list: [{ t: "p", c: ["one two three"] }] }
        })
      })
    )
  )

  it.live("go with all unused conversations, however many, but not the newest number", () =>
    on(
      Effect.fnUntraced(function* (store) {
        const [table, conversations] = [makeRowTable(store, "web"), makeConversationTable(store, "web")]
        const { sql, read, transact } = store
        const chosen = conversationText({ channel: "web", accountId: "web", chatId: "a/7" })
        yield* transact(sql`insert into bridge_chats ${sql.insert({ conversation: chosen, settings: "{}", at: 1 })}`)
        for (let chat = 1; chat <= 230; chat += 1) {
          yield* conversations.touch(`a/${chat}`, "title", 1)
          yield* table.append([note(`a/${chat}`, "secret", { key: `k${chat}` })], 0)
        }
        assert.strictEqual(yield* conversations.forget(5), 230)
        assert.strictEqual(yield* conversations.forget(5), 0)
        const left = yield* read(sql<object>`select seq, body, row_key from web_rows`)
        assert.deepStrictEqual(left, [{ seq: 230, body: "", row_key: null }])
        assert.deepStrictEqual(yield* read(sql`select * from bridge_chats`), [])
        // As after a restart: what is written now is behind what the bridge has heard.
        assert.strictEqual(yield* table.newest, 230)
        yield* conversations.touch("a/1", "title", 10)
        yield* table.append([note("a/1", "new")], 0)
        assert.deepStrictEqual(textsOf(yield* table.after("a/1", 0)), ["new"])
        yield* conversations.forget(5)
        assert.deepStrictEqual(yield* read(sql`select seq from web_rows`), [{ seq: 231 }])
        // Said in one that had gone, and old by now.
        yield* table.append([note("a/7", "late"), note("a/1", "newest")], 0)
        yield* conversations.forget(5)
        assert.deepStrictEqual(yield* read(sql`select seq from web_rows order by seq`), [{ seq: 231 }, { seq: 233 }])
      })
    )
  )

  it.live("go with an unused conversation, and the oldest of one that is too long", () =>
    on(
      Effect.fnUntraced(function* (store) {
        const [table, conversations] = [makeRowTable(store, "web"), makeConversationTable(store, "web")]
        for (const [chat, at] of [
          ["a/1", 1],
          ["a/2", 10],
          ["b/3", 10]
        ] as const) {
          yield* conversations.touch(chat, `title of ${chat}`, at)
          yield* table.append(
            Array.from({ length: 5 }, (_, index) => note(chat, `${chat} ${index}`)),
            0
          )
        }
        yield* conversations.change("a/2", { state: "asking", archived: 1, agent: "codex", model: null })
        assert.deepStrictEqual(yield* conversations.list("a"), [
          { id: "1", title: "title of a/1", state: "done", at: 1 },
          { id: "2", title: "title of a/2", state: "asking", at: 10, archived: true, agent: "codex" }
        ])
        assert.strictEqual(yield* conversations.forget(5), 1)
        assert.deepStrictEqual(yield* table.after("a/1", 0), [])
        assert.isUndefined(yield* conversations.get("a/1"))
        assert.strictEqual(yield* conversations.shorten(2), 2)
        assert.deepStrictEqual(textsOf(yield* table.after("a/2", 0)), ["a/2 3", "a/2 4"])
        // Numbers are not used again as long as this host goes on.
        assert.isAbove((yield* table.append([note("a/2", "new")], 15))[0]?.id ?? 0, 15)
      })
    )
  )
})

const plainNote = (text: string): WebRow => ({ row: "host", what: "notice", text, blocks: [] })
const later = (take: () => WebRow) => ({ chat: "a/1", at: 1, take })

describe("a row", () => {
  it.effect("that cannot be made, or not be written, is left out and told; those beside it are there", () =>
    Effect.gen(function* () {
      const table = yield* RowTable
      const { put, commit } = yield* RowLog
      const hostile = Object.assign(plainNote("never"), { toJSON: () => assert.fail("it is not JSON") })
      put([
        later(() => plainNote("one")),
        later(() => assert.fail("it is broken")),
        later(() => hostile),
        later(() => plainNote("two"))
      ])
      yield* commit([])
      const texts = (yield* table.after("a/1", 0)).map(({ json }) => JSON.parse(json).text)
      assert.deepStrictEqual(texts.slice(0, 2), ["one", "two"])
      assert.match(texts[2], /^2 steps of the agent could not be kept/)
      assert.strictEqual(texts.length, 3)
    }).pipe(
      Effect.provide(
        RowLog.layer.pipe(
          Layer.provideMerge(Layer.mergeAll(RowTable.layer, Hub.layer)),
          Layer.provide(Layer.mergeAll(onePage, Store.layerMemory()))
        )
      )
    )
  )
})
