/** A page whose host died and came back on the same store: its rows go on, and nothing is lost, repeated or run again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Journal } from "../../../src/bridge/journal/Journal.ts"
import { type ChannelMessage, ChannelMessage as Message } from "../../../src/bridge/messages/ChannelMessage.ts"
import { conversationParts } from "../../../src/bridge/messages/Conversation.ts"
import { promptOf, turnIdOf } from "../../../src/bridge/turn/prompt.ts"
import { incomingText } from "../../../src/channels/web/incoming.ts"
import { makeConversationTable } from "../../../src/channels/web/rows/conversationTable.ts"
import { makeRowTable } from "../../../src/channels/web/rows/rowTable.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { keyText } from "../../../src/conversations/turns/conversationKey.ts"
import { turnDigest } from "../../../src/conversations/turns/turnRequest.ts"
import { claimTurn, enqueueTurn, spawnTurn } from "../../../src/conversations/turns/turnRows.ts"
import { openIn, storeKinds } from "../../conversations/store/stores.ts"
import { openPage, type Row, uuid } from "./page.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })
const ended = (rows: ReadonlyArray<Row>) => rows.some(({ row }) => row === "answer") && rows

const messageOf = (conversation: string, id: string, input: string): ChannelMessage =>
  Message.make({
    conversation: { channel: "web", accountId: "web", chatId: `you/${conversation}` },
    updateId: `you/${conversation}/${id}`,
    messageId: id,
    chat: "direct",
    sentAt: 0,
    sender: { id: "you", name: "You", isBot: false },
    text: input,
    attachments: [],
    addressed: true
  })

/** Rows that a host had written of a message before it died. */
const output = Effect.fnUntraced(function* (conversation: string, id: string, input: string) {
  const store = yield* Store
  const message = messageOf(conversation, id, input)
  const { chatId } = message.conversation
  yield* makeConversationTable(store, "web").touch(chatId, input, Date.now())
  const row = { row: "message", message: id, text: input, by: "You", state: "sent" } as const
  yield* makeRowTable(store, "web").append(
    [{ chat: chatId, body: row, key: `m/${chatId}/${id}`, heard: incomingText(message), at: 1 }],
    0
  )
  return message
})

describe.each(storeKinds.filter(({ isShared }) => isShared))(
  "a page of a host that came back, in $name",
  ({ place }) => {
    it.live("goes on with its rows, and a reader where it was", () =>
      Effect.gen(function* () {
        const store = yield* place
        const listen = { token: "t".repeat(40) }
        const script = ({ prompt }: { readonly prompt: string }) => [text(prompt)]
        const conversation = uuid()
        const read = `./events?conversation=${conversation}`
        const before = yield* Effect.scoped(
          Effect.gen(function* () {
            const { you } = yield* openPage({ script, listen, store })
            yield* you.say("one", { conversation })
            return yield* (yield* you.read(read)).until(ended)
          })
        )
        const { you, list } = yield* openPage({ script, listen, store })
        const last = before.at(-1)?.id ?? 0
        const reader = yield* you.read(read, { "last-event-id": String(last) })
        yield* you.say("two", { conversation })
        const after = yield* reader.until(ended)
        assert.isAbove(after[0]?.id ?? 0, last)
        assert.deepStrictEqual(
          after.filter(({ row }) => row === "message").map((row) => row["text"]),
          ["two"]
        )
        yield* list.state(({ conversations }) => conversations.length === 1 && conversations[0].title === "one")
      }).pipe(Effect.scoped)
    )

    it.live("answers once what was written and not heard, and asks about what was under way", () =>
      Effect.gen(function* () {
        const store = yield* openIn(yield* place)
        const own = Layer.succeed(Store, store)
        const [unheard, underWay] = [uuid(), uuid()]
        const [one, two] = [uuid(), uuid()]
        yield* Effect.gen(function* () {
          yield* output(unheard, one, "hello")
          const message = yield* output(underWay, two, "deploy")
          const [turnId, prompt] = [turnIdOf(message), promptOf([message])]
          const key = conversationParts(message.conversation)
          const turn = { turnId, conversation: keyText(key), cli: "test", prompt, digest: turnDigest(key, { prompt }) }
          yield* enqueueTurn(store, turn, 0)
          yield* claimTurn(store, { turnId, runId: "dead", cli: "test" }, 0)
          yield* spawnTurn(store, "dead")
          const { inbox } = yield* (yield* Journal).own("web", "web")
          yield* inbox.accept(message, { mark: "0" })
          yield* inbox.take([message.updateId], turnId)
          const body = { row: "run", turn: turnId, agent: "test", message: two } as const
          yield* makeRowTable(store, "web").append(
            [{ chat: message.conversation.chatId, body, turn: turnId, at: 2 }],
            0
          )
        }).pipe(Effect.scoped, Effect.provide([Layer.provide(Journal.layer, own), own]))
        let runs = 0
        const script = ({ prompt }: { readonly prompt: string }) => {
          runs += 1
          return [text(`did ${prompt}`)]
        }
        const { you, list } = yield* openPage({ script, store: own })
        const answered = yield* you.read(`./events?conversation=${unheard}`)
        const rows = yield* answered.until(ended)
        assert.strictEqual(rows.filter(({ row }) => row === "message").length, 1)
        const request = yield* you.read(`./events?conversation=${underWay}`)
        const reported = yield* request.until((all) => all.find(({ what }) => what === "interrupted"))
        assert.strictEqual(runs, 1)
        assert.include(reported["text"], "The host was restarted")
        assert.deepStrictEqual(reported["choices"], ["continue", "again", "forget"])
        assert.deepStrictEqual(
          request.rows().map(({ row }) => row),
          ["message", "run", "done", "host"]
        )
        yield* list.state(({ conversations }) =>
          conversations.some(({ state }: { state: string }) => state === "interrupted")
        )
        const press = { do: "interrupted", turn: reported["turn"], choice: "again" }
        assert.strictEqual((yield* you.press(press, uuid(), unheard)).text, "This is not yours to answer.")
        assert.strictEqual((yield* you.press(press, uuid(), underWay)).text, "It starts again.")
        const again = yield* request.until(ended)
        assert.deepStrictEqual(
          again.filter(({ row }) => row === "run").map((row) => row["turn"]),
          [reported["turn"], reported["turn"]]
        )
        assert.strictEqual(runs, 2)
        assert.include(["This is over.", "It is running."], (yield* you.press(press, uuid(), underWay)).text)
      }).pipe(Effect.scoped)
    )

    it.live("tells the whole of an answer of which its pages had a part, once", () =>
      Effect.gen(function* () {
        const store = yield* openIn(yield* place)
        const own = Layer.succeed(Store, store)
        const conversation = uuid()
        yield* Effect.gen(function* () {
          const message = yield* output(conversation, uuid(), "why?")
          const turnId = turnIdOf(message)
          const { chatId: chat } = message.conversation
          const table = makeRowTable(store, "web")
          const event = { row: "event", turn: turnId, event: { type: "text", text: "Bec" }, offset: 0 } as const
          const run = { row: "run", turn: turnId, agent: "test" } as const
          yield* table.append(
            [run, event].map((body) => ({ chat, body, turn: turnId, at: 1 })),
            0
          )
          const { inbox } = yield* (yield* Journal).own("web", "web")
          yield* inbox.accept(message, { mark: "1" })
          yield* inbox.take([message.updateId], turnId)
          const piece = { text: "Because.", body: { text: "**Because.**" } }
          yield* inbox.finish(turnId, [
            { key: `${turnId}/0`, conversation: message.conversation, kind: "answer", piece, turnId }
          ])
        }).pipe(Effect.scoped, Effect.provide([Layer.provide(Journal.layer, own), own]))
        const { you } = yield* openPage({ script: [text("x")], store: own })
        const { until } = yield* you.read(`./events?conversation=${conversation}`)
        const content = yield* until((rows) => rows.find(({ row }) => row === "said"))
        assert.deepInclude(content, { text: "Because.", blocks: [{ t: "p", c: [{ t: "b", c: ["Because."] }] }] })
        // The rows behind it show that it was sent.
        yield* you.say("next", { conversation })
        yield* until(ended)
        const [first] = yield* store.read(
          store.sql<{ readonly state: string }>`select state from outbox order by seq limit 1`
        )
        assert.strictEqual(first?.state, "sent")
        assert.strictEqual((yield* until((rows) => rows.filter(({ row }) => row === "said"))).length, 1)
      }).pipe(Effect.scoped)
    )
  }
)
