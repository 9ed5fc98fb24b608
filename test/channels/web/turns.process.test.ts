/** Messages of a page become turns, whose rows its readers get as they are written, each once. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { openPage, type Row, type Script, uuid, visitor } from "./page.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })

const kinds = (rows: ReadonlyArray<Row>) => rows.map(({ row }) => row).filter((row) => row !== "state")

const statesOf = (rows: ReadonlyArray<Row>, message: string) =>
  rows.flatMap((row) =>
    row["message"] === message && row["state"] ? [[row["state"], row["place"]].join(" ").trim()] : []
  )

/** Says something, and goes on when it may. */
const makeGate = Effect.gen(function* () {
  const [begun, may] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const events = (rest: ReadonlyArray<AgentEvent>) =>
    Stream.concat(
      Stream.concat(Stream.make(text("at work")), Stream.drain(Stream.fromEffect(Deferred.succeed(begun, undefined)))),
      Stream.concat(Stream.drain(Stream.fromEffect(Deferred.await(may))), Stream.fromIterable(rest))
    )
  return { begun: Deferred.await(begun), go: Deferred.succeed(may, undefined), events }
})

describe("a page", () => {
  it.live("shows a message, its turn, and the answer while it is written", () =>
    Effect.gen(function* () {
      const { you, list } = yield* openPage({
        script: ({ prompt }) => [text("# Hi\n\nyou said "), text(`**${prompt}**`)]
      })
      const { id, status } = yield* you.say("hello")
      assert.strictEqual(status, 202)
      const { until, frames } = yield* you.read()
      const rows = yield* until((all) => all.some(({ row }) => row === "answer") && all)
      assert.strictEqual(frames[0]?.event, "hello")
      assert.strictEqual(frames[1]?.event, "state")
      assert.deepStrictEqual(kinds(rows).slice(0, 3), ["message", "run", "event"])
      assert.deepStrictEqual(kinds(rows).slice(-2), ["done", "answer"])
      assert.deepInclude(rows[0], { message: id, text: "hello", by: "You", state: "sent" })
      assert.deepInclude(
        rows.find(({ row }) => row === "run"),
        { agent: "test", message: id }
      )
      assert.strictEqual(
        rows.flatMap(({ row, event }) => (row === "event" ? [event.text] : [])).join(""),
        "# Hi\n\nyou said **hello**"
      )
      const { title, state } = yield* list.state(
        ({ conversations }) =>
          conversations[0]?.state === "done" && conversations[0].agent === "test" && conversations[0]
      )
      assert.deepStrictEqual([title, state], ["hello", "done"])
    }).pipe(Effect.scoped)
  )

  it.live("takes the same message once, and two messages of two people in their own conversations", () =>
    Effect.gen(function* () {
      let runs = 0
      const page = yield* openPage({
        script: ({ prompt }) => {
          runs += 1
          return [text(prompt)]
        }
      })
      const { you } = page
      const id = uuid()
      const body = { id, conversation: you.conversation, text: "once" }
      const answers = yield* Effect.all(
        [1, 2, 3].map(() => you.post("./messages", body)),
        { concurrency: 3 }
      )
      for (const answer of answers) assert.deepInclude(answer, { status: 202, id, conversation: you.conversation })
      const { until } = yield* you.read()
      yield* until((rows) => rows.some(({ row }) => row === "answer"))
      assert.strictEqual((yield* you.post("./messages", body)).status, 202)
      const second = visitor(page.base, page.token)
      yield* second.say("two")
      const other = yield* second.read()
      const rows = yield* other.until((all) => all.some(({ row }) => row === "answer") && all)
      assert.strictEqual(rows.filter(({ row }) => row === "message").length, 1)
      assert.strictEqual(runs, 2)
    }).pipe(Effect.scoped)
  )

  it.live("queues, lets drop and begin now, and stops, each in words that are true", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const script: Script = ({ prompt }) =>
        prompt === "long" ? gate.events([text(" done")]) : [text(`did ${prompt}`)]
      const { you } = yield* openPage({ script })
      yield* you.say("long")
      yield* gate.begun
      const { until } = yield* you.read()
      const two = yield* you.say("two", { how: "queue" })
      yield* until((rows) => statesOf(rows, two.id).includes("queued 1"))
      assert.strictEqual((yield* you.press({ do: "drop", message: two.id })).text, "Dropped before it started.")
      yield* until((rows) => statesOf(rows, two.id).at(-1) === "dropped")
      assert.strictEqual((yield* you.press({ do: "drop", message: two.id })).text, "It is no longer waiting.")
      const three = yield* you.say("three", { how: "queue" })
      yield* until((rows) => statesOf(rows, three.id).includes("queued 1"))
      const now = yield* you.press({ do: "now", message: three.id })
      assert.strictEqual(now.text, "The agent is stopped, and continues with the waiting messages.")
      const rows = yield* until((all) => all.some(({ event }) => event?.text === "did three") && all)
      assert.strictEqual(rows.find(({ row }) => row === "done")?.["result"].outcome, "aborted")
      assert.strictEqual(statesOf(rows, three.id).at(-1), "taken")
      yield* until((all) => all.filter(({ row }) => row === "done").length === 2)
      assert.strictEqual((yield* you.press({ do: "stop" })).text, "Nothing is running.")
    }).pipe(Effect.scoped)
  )

  it.live("shows that a message waits for other conversations, lets it be dropped, and takes the next one up", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const script: Script = ({ prompt }) =>
        prompt === "long" ? gate.events([text(" done")]) : [text(`did ${prompt}`)]
      const { you, base, token } = yield* openPage({ script, bridge: { limits: { total: 1 } } })
      yield* you.say("long")
      yield* gate.begun
      const elsewhere = visitor(base, token)
      const two = yield* elsewhere.say("two")
      const { until } = yield* elsewhere.read()
      yield* until((rows) => statesOf(rows, two.id).includes("queued 1"))
      const now = yield* elsewhere.press({ do: "now", message: two.id })
      assert.strictEqual(now.text, "It is next in this chat, and starts as soon as an agent is free.")
      yield* elsewhere.press({ do: "drop", message: two.id })
      yield* until((rows) => statesOf(rows, two.id).at(-1) === "dropped")
      const three = yield* elsewhere.say("three")
      yield* until((rows) => statesOf(rows, three.id).includes("queued 1"))
      yield* gate.go
      const rows = yield* until((all) => all.some(({ row }) => row === "done") && all)
      assert.strictEqual(statesOf(rows, three.id).at(-1), "taken")
      assert.isFalse(rows.some(({ event }) => event?.text === "did two"))
    }).pipe(Effect.scoped)
  )

  it.live("stops what runs, at once", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const { you, list } = yield* openPage({ script: () => gate.events([]) })
      yield* you.say("long")
      yield* gate.begun
      const { until } = yield* you.read()
      const id = uuid()
      assert.strictEqual((yield* you.press({ do: "stop" }, id)).text, "Stopped.")
      const [done] = yield* until((rows) => {
        const found = rows.filter(({ row }) => row === "done")
        return found.length > 0 && found
      })
      assert.strictEqual(done?.["result"].outcome, "aborted")
      yield* list.state(({ conversations }) => conversations[0]?.state === "done")
      // The same press again, such as after its answer was lost, is answered the same, and stops nothing else.
      yield* you.say("again")
      yield* until((rows) => rows.filter(({ event }) => event?.text === "at work").length === 2)
      assert.strictEqual((yield* you.press({ do: "stop" }, id)).text, "Stopped.")
      yield* gate.go
      const ends = yield* until((rows) => {
        const found = rows.filter(({ row }) => row === "done")
        return found.length === 2 && found
      })
      assert.strictEqual(ends[1]?.["result"].outcome, "completed")
    }).pipe(Effect.scoped)
  )

  it.live("shows everywhere that a turn is stopping, until nothing of it is left", () =>
    Effect.gen(function* () {
      const gone = yield* Deferred.make<void>()
      const { you } = yield* openPage({
        script: Stream.concat(Stream.make(text("at work")), Stream.ensuring(Stream.never, Deferred.await(gone)))
      })
      yield* Effect.addFinalizer(() => Deferred.succeed(gone, undefined))
      yield* you.say("long")
      const { until } = yield* you.read()
      yield* until((rows) => rows.some(({ event }) => event?.text === "at work"))
      assert.strictEqual((yield* you.press({ do: "stop" })).text, "Stopping…")
      const { turn } = yield* until((rows) => rows.find(({ row }) => row === "stopping"))
      yield* Deferred.succeed(gone, undefined)
      const rows = yield* until((all) => all.some(({ row }) => row === "done") && all)
      assert.deepStrictEqual(
        rows.filter(({ row }) => ["run", "stopping", "done"].includes(row)).map((each) => [each.row, each["turn"]]),
        [
          ["run", turn],
          ["stopping", turn],
          ["done", turn]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("chooses by value what commands choose, for whom they do, and says what cannot be", () =>
    Effect.gen(function* () {
      const { you, list } = yield* openPage({ script: [text("of test")] })
      const { status, error } = yield* you.say("hello", { agent: "absent" })
      assert.strictEqual(status, 400)
      assert.include(error, "absent is not one of test, other")
      assert.strictEqual((yield* you.say("hello", { agent: "other", mode: "plan" })).status, 202)
      const { until } = yield* you.read()
      const rows = yield* until((all) => all.some(({ row }) => row === "answer") && all)
      assert.deepInclude(
        rows.find(({ row }) => row === "run"),
        { agent: "other", mode: "plan" }
      )
      const change = (body: object) => you.post(`./conversations/${you.conversation}`, body)
      assert.strictEqual((yield* change({ agent: null, title: "  Carts\nand   totals " })).status, 200)
      const [now] = yield* list.state(
        ({ conversations }) => conversations[0]?.title === "Carts and totals" && conversations
      )
      assert.deepInclude(now, { title: "Carts and totals", mode: "plan" })
      assert.notProperty(now, "agent")
      assert.strictEqual((yield* change({ archived: true })).archived, true)
      assert.strictEqual((yield* change({ mode: "everything" })).status, 400)
      // A command is one, too, and its answer is a notice.
      yield* you.say("/status")
      const notice = yield* until((all) => all.find(({ row, what }) => row === "host" && what === "notice"))
      assert.include(notice["text"], "test: idle")
    }).pipe(Effect.scoped)
  )

  it.live("exports a conversation, for people and for programs", () =>
    Effect.gen(function* () {
      const { you } = yield* openPage({ script: [text("an **answer**")] })
      yield* you.say("What is this?")
      yield* (yield* you.read()).until((rows) => rows.some(({ row }) => row === "answer"))
      const markdown = yield* you.ask(`./conversations/${you.conversation}/export`)
      assert.include(markdown.headers.get("content-disposition"), 'filename="What-is-this.md"')
      const body = yield* Effect.promise(() => markdown.text())
      assert.match(
        body,
        /^# What is this\?\n\n## You, .* UTC\n\nWhat is this\?\n\n## test, .* UTC\n\nan \*\*answer\*\*\n/
      )
      const json = yield* you.get(`./conversations/${you.conversation}/export?format=json`)
      assert.deepStrictEqual(kinds(json.rows), ["message", "run", "event", "done", "answer"])
      assert.strictEqual((yield* you.get(`./conversations/${uuid()}/export`)).status, 404)
    }).pipe(Effect.scoped)
  )
})

describe("readers of a conversation", () => {
  it.live("get the same rows, each once; one that was cut off the rest", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const { you } = yield* openPage({ script: () => gate.events([text(" and"), text(" done")]) })
      yield* you.say("go")
      yield* gate.begun
      const [one, two] = [yield* you.read(), yield* you.read()]
      const isThere = (rows: ReadonlyArray<Row>) => rows.some(({ event }) => event?.text === "at work")
      yield* one.until(isThere)
      yield* two.until(isThere)
      two.close()
      const had = two.rows()
      yield* gate.go
      const all = yield* one.until((rows) => rows.some(({ row }) => row === "answer") && rows)
      const back = yield* you.read(undefined, { "last-event-id": String(had.at(-1)?.id) })
      yield* back.until((rows) => rows.some(({ row }) => row === "answer"))
      const ids = [...had, ...back.rows()].map(({ id }) => id)
      assert.deepStrictEqual(ids, [...new Set(ids)])
      // Pieces of a text that is over are one row by now, in the place of the last.
      const last = (rows: ReadonlyArray<Row>) => rows.filter(({ row }) => row !== "event").map(({ id }) => id)
      assert.deepStrictEqual(last([...had, ...back.rows()]), last(all))
      assert.deepInclude(back.frames[0]?.data, { newest: all.at(-1)?.id })
    }).pipe(Effect.scoped)
  )

  it.live("get the newest turns first, and the others when they ask", () =>
    Effect.gen(function* () {
      const { you, store } = yield* openPage({ script: [text("x")] })
      yield* you.say("first")
      yield* (yield* you.read()).until((rows) => rows.some(({ row }) => row === "answer"))
      const body = (at: number) =>
        JSON.stringify({ row: "message", message: uuid(), text: `m${at}`, by: "You", state: "sent" })
      for (let at = 0; at < 300; at++) {
        yield* store.transact(
          store.sql`insert into web_rows ${store.sql.insert({
            ...{
              account: "web",
              seq: 1000 + at,
              chat: `you/${you.conversation}`,
              kind: "message",
              body: body(at),
              at: 1
            }
          })}`
        )
      }
      const { until, frames } = yield* you.read()
      yield* until((rows) => rows.length === 200)
      const { first, oldest } = frames[0]?.data ?? {}
      assert.isAbove(oldest, first)
      const before = yield* you.get(`./rows?conversation=${you.conversation}&before=${oldest}`)
      assert.strictEqual(before.rows.at(-1).text, "m99")
      assert.strictEqual(before.oldest, first)
      assert.strictEqual(before.rows[0].text, "first")
    }).pipe(Effect.scoped)
  )
})
