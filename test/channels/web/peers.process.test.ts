/** Pages of one group on one store: each shows the conversations of all, and asks the page that has one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { openIn, type StoreLayer, storeKinds } from "../../conversations/store/stores.ts"
import { openPage, type Row, type Script, uuid, visitor } from "./page.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })

const request: AgentEvent = {
  ...{ type: "permission_request", requestId: "1", toolId: "t", toolName: "Bash", kind: "command" },
  ...{ input: { command: "rm -rf build" }, title: "rm -rf build", command: "rm -rf build", escalated: false },
  scopes: []
}

/** Says which page's agent it is. */
const answering =
  (page: string): Script =>
  ({ prompt, attachments = [] }) =>
    prompt === "clean up"
      ? [request, text("cleaned")]
      : [text(`${page}: ${prompt}${attachments.map(({ name }) => ` with ${name}`).join("")}`)]

const group = { group: "web", token: "t".repeat(40) }
const open = (store: StoreLayer, name: string) =>
  openPage({ store, script: answering(name), listen: { ...group, accountId: `web.${name}` } })

const answers = (rows: ReadonlyArray<Row>) =>
  rows.filter(({ row, event }) => row === "event" && event.type === "text").map(({ event }) => event.text)
const ended = (count: number) => (rows: ReadonlyArray<Row>) =>
  rows.filter(({ row }) => row === "answer").length === count && rows
const texts = (rows: ReadonlyArray<Row>) => rows.filter(({ row }) => row === "message").map((row) => row["text"])
const of = (conversation: string) => `./events?conversation=${conversation}`

const bytes = { "content-type": "application/octet-stream" }

// They wait for each other's looks most of the time: together they take no longer than the longest.
describe.concurrent.each(storeKinds.filter(({ isShared }) => isShared))(
  "pages that belong together, in $name",
  ({ place }) => {
    it.live("show the conversations of each other, and what is said in them", () =>
      Effect.gen(function* () {
        const store = yield* place
        const [here, there] = [yield* open(store, "here"), yield* open(store, "there")]
        yield* there.you.say("one")
        const { conversation } = there.you
        const [row] = yield* here.list.state(({ conversations }) => conversations[0]?.agent && conversations)
        assert.deepInclude(row, { id: conversation, title: "one", page: "there", agent: "test" })
        yield* there.list.state(({ conversations: [own] }) => own && !("page" in own))
        const reader = yield* here.you.read(of(conversation))
        assert.deepStrictEqual(answers(yield* reader.until(ended(1))), ["there: one"])
        // A message that arrives while it is read appears as it happens, and the agent of its page answers.
        yield* there.you.say("two")
        yield* reader.until(ended(2))
        assert.strictEqual((yield* here.you.say("three", { conversation })).status, 202)
        const rows = yield* reader.until(ended(3))
        assert.deepStrictEqual(texts(rows), ["one", "two", "three"])
        assert.deepStrictEqual(answers(rows), ["there: one", "there: two", "there: three"])
        // The page that has it shows the same, by the same numbers.
        const own = yield* (yield* there.you.read()).until(ended(3))
        assert.deepStrictEqual(
          own.map(({ id }) => id),
          (yield* (yield* here.you.read(of(conversation))).until(ended(3))).map(({ id }) => id)
        )
        const exported = yield* here.you.ask(`./conversations/${conversation}/export?format=md`)
        assert.include(yield* Effect.promise(() => exported.text()), "there: three")
      }).pipe(Effect.scoped)
    )

    it.live("decide, name and put away what is another's", () =>
      Effect.gen(function* () {
        const store = yield* place
        const [here, there] = [yield* open(store, "here"), yield* open(store, "there")]
        const { conversation } = there.you
        yield* there.you.say("clean up")
        const reader = yield* here.you.read(of(conversation))
        const { event } = yield* reader.until((rows) => rows.find((row) => row["event"]?.type === "permission_request"))
        yield* here.list.state(({ conversations }) => conversations[0]?.state === "asking")
        const id = uuid()
        const press = here.you.press({ do: "decide", requestId: event.requestId, decision: "allow" }, id, conversation)
        assert.deepStrictEqual(
          (yield* Effect.all([press, press], { concurrency: 2 })).map(({ text }) => text),
          ["allowed", "allowed"]
        )
        const late = here.you.press(
          { do: "decide", requestId: event.requestId, decision: "deny" },
          uuid(),
          conversation
        )
        assert.strictEqual((yield* late).text, "already answered by You")
        assert.include(answers(yield* reader.until(ended(1))), "cleaned")
        const named = yield* here.you.post(`./conversations/${conversation}`, { title: "Tidy", archived: true })
        assert.deepInclude(named, { status: 200, title: "Tidy", archived: true })
        yield* there.list.state(({ conversations }) => conversations[0]?.title === "Tidy" && conversations[0].archived)
        const wrong = yield* here.you.post(`./conversations/${conversation}`, { agent: "absent" })
        assert.strictEqual(wrong.status, 400)
        assert.include(wrong.error, "absent")
      }).pipe(Effect.scoped)
    )

    it.live("send each other files, whole, and leave nothing of them in between", () =>
      Effect.gen(function* () {
        const store = yield* place
        const [here, there] = [yield* open(store, "here"), yield* open(store, "there")]
        const { conversation } = there.you
        yield* there.you.say("one")
        const body = Buffer.from(Array.from({ length: 2_500_000 }, (_, at) => at % 251))
        const uploaded = yield* here.you.ask("./files?name=plan.bin", { method: "POST", body, headers: bytes })
        const { fileId } = yield* Effect.promise(() => uploaded.json() as Promise<{ readonly fileId: string }>)
        yield* (yield* there.you.read()).until(ended(1))
        assert.strictEqual((yield* here.you.say("look", { conversation, files: [fileId] })).status, 202)
        const rows = yield* (yield* here.you.read(of(conversation))).until(ended(2))
        const [file] = rows.flatMap((row) => row["files"] ?? [])
        assert.deepInclude(file, { name: "plan.bin", bytes: body.length })
        assert.notStrictEqual(file.fileId, fileId)
        for (const { you } of [here, there]) {
          const found = yield* you.ask(`./files/${file.fileId}`)
          assert.strictEqual(found.status, 200)
          assert.isTrue(body.equals(Buffer.from(yield* Effect.promise(() => found.arrayBuffer()))))
        }
        const { sql, read } = here.store
        assert.deepStrictEqual(yield* read(sql`select hash from blobs`), [])
        const ghost = yield* here.you.say("look", { conversation, files: [uuid()] })
        assert.strictEqual(ghost.status, 404)
      }).pipe(Effect.scoped)
    )

    it.live("are read when they are away, and asked nothing that would be done later", () =>
      Effect.gen(function* () {
        const store = yield* place
        const here = yield* open(store, "here")
        const life = yield* Scope.make()
        const there = yield* Scope.provide(open(store, "there"), life)
        const { conversation } = there.you
        yield* there.you.say("one")
        yield* (yield* there.you.read()).until(ended(1))
        yield* Scope.close(life, Exit.void)
        const reader = yield* here.you.read(of(conversation))
        assert.deepStrictEqual(answers(yield* reader.until(ended(1))), ["there: one"])
        const refused = yield* here.you.say("two", { conversation })
        assert.strictEqual(refused.status, 503)
        assert.include(refused.error, "at the page of there, which does not answer")
        const { sql, read } = here.store
        assert.deepStrictEqual(yield* read(sql`select id from web_requests`), [])
        const again = yield* open(store, "there")
        yield* here.you.say("three", { conversation })
        yield* reader.until(ended(2))
        assert.deepStrictEqual(texts(reader.rows()), ["one", "three"])
        yield* again.list.state(({ conversations }) => conversations[0]?.state === "done")
      }).pipe(Effect.scoped)
    )

    it.live("never show another person's conversation, nor anything of a page outside of the group", () =>
      Effect.gen(function* () {
        const store = yield* place
        const names = ["ann", "ben"] as const
        const authorize = (request: Request) => {
          const name = request.headers.get("authorization")?.replace("Bearer ", "")
          const id = names.find((each) => each === name)
          return id === undefined ? undefined : { id }
        }
        const page = (accountId: string) =>
          openPage({
            ...{ store, script: answering(accountId), bridge: { access: { owners: [...names] } } },
            listen: { authorize, accountId, ...(accountId.startsWith("web.") ? { group: "web" } : {}) }
          })
        const [there, here] = [yield* page("web.there"), yield* page("web.here")]
        const apart = yield* page("webs")
        for (const { you } of [there, apart]) {
          yield* you.say("secret")
          yield* (yield* you.read()).until(ended(1))
        }
        const { conversation } = there.you
        const ben = visitor(here.base, "ben")
        yield* (yield* ben.read("./events")).state(({ conversations }) => conversations.length === 0)
        for (const path of [`./rows?conversation=${conversation}`, `./conversations/${conversation}/export`])
          assert.strictEqual((yield* ben.ask(path)).status, 404)
        assert.strictEqual((yield* ben.press({ do: "stop" }, uuid(), conversation)).status, 404)
        // It begins one of its own with that id, at its own page.
        yield* ben.say("mine", { conversation })
        const rows = yield* (yield* ben.read(of(conversation))).until(ended(1))
        assert.deepStrictEqual(texts(rows), ["mine"])
        assert.strictEqual((yield* here.you.get(`./rows?conversation=${apart.you.conversation}`)).status, 404)
        assert.strictEqual((yield* apart.you.get(`./rows?conversation=${conversation}`)).status, 404)
      }).pipe(Effect.scoped)
    )

    it.live("do nothing that a row of the store asks in the name of another page or person", () =>
      Effect.gen(function* () {
        const store = yield* place
        const there = yield* open(store, "there")
        const { sql, transact, read } = yield* openIn(store)
        const wish = { id: uuid(), conversation: uuid(), text: "hello" }
        const say = { person: { id: "you" }, act: { do: "say", wish, files: [] } }
        const forged: ReadonlyArray<readonly [string, unknown]> = [
          [`web.other/you/${wish.conversation}/${wish.id}`, say],
          [`web.there/ann/${wish.conversation}/${wish.id}`, say],
          [`web.there/ann/${wish.conversation}/${uuid()}`, { ...say, person: { id: "ann" } }],
          [`web.there/you/${uuid()}/1`, "{"],
          [`web.there/you/${uuid()}/2`, { ...say, act: { do: "drop table" } }],
          [`web.there/you/${uuid()}/3`, { ...say, person: { id: "you/../x" } }]
        ]
        for (const [id, input] of forged) {
          const row = { id, account: "web.there", state: "asked", at: Date.now(), request: JSON.stringify(input) }
          yield* transact(sql`insert into web_requests ${sql.insert(row)}`)
        }
        const count = sql<{ readonly answer: string }>`select answer from web_requests where state = 'answered'`
        let answered: ReadonlyArray<{ readonly answer: string }> = []
        // The page looks by itself.
        while (answered.length < forged.length) answered = yield* Effect.delay(read(count), 20)
        assert.deepStrictEqual(
          answered.map(({ answer }) => JSON.parse(answer).problem.status).toSorted(),
          [400, 400, 400, 400, 400, 403]
        )
        assert.deepStrictEqual(yield* read(sql`select seq from web_rows`), [])
        assert.deepStrictEqual((yield* there.you.get("./state")).conversations, [])
      }).pipe(Effect.scoped)
    )
  }
)
