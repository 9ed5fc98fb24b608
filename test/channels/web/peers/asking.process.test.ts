/** One page asks another by the store, which fails, or either of them goes away: each thing is done once, or not at all. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Scope } from "effect"
import { type AnswerPeersOptions, answerPeers } from "../../../../src/channels/web/peers/answerPeers.ts"
import { makePeerPage } from "../../../../src/channels/web/peers/askPeer.ts"
import { removeOldPieces } from "../../../../src/channels/web/peers/pieces.ts"
import {
  makeRequestTable,
  type RequestTable,
  readAnswer,
  readRequest,
  requestText
} from "../../../../src/channels/web/peers/request.ts"
import { problems } from "../../../../src/channels/web/problem.ts"
import { StoreUnavailable } from "../../../../src/contract/AgentError.ts"
import { StoreError } from "../../../../src/contract/StoreError.ts"
import { Store } from "../../../../src/conversations/store/Store.ts"
import { openIn } from "../../../conversations/store/stores.ts"

const account = "web.there"
const you = { id: "you" }
const wishOf = (more: object = {}) => ({
  id: crypto.randomUUID(),
  conversation: crypto.randomUUID(),
  text: "hi",
  ...more
})
const pressOf = () => ({ id: crypto.randomUUID(), conversation: crypto.randomUUID(), press: { do: "stop" } as const })
const failure = Effect.fail(new StoreError({ reason: new StoreUnavailable({ problem: "gone" }) }))

const body = (bytes = 2_500_000) => new Blob([new Uint8Array(bytes)]).stream()
const stored = (fileId: string) => ({ fileId, name: "plan.bin", kind: "document" as const, bytes: 2_500_000 })

/** A page that asks, and one that is asked once it is opened. */
const open = Effect.gen(function* () {
  const store = yield* openIn(Store.layerMemory())
  const requests = makeRequestTable(store)
  const scope = yield* Effect.scope
  const text: Array<string> = []
  const uploads: Array<string> = []
  const userActions: AnswerPeersOptions["actions"] = {
    isSaid: (_, { id }) => Effect.succeed(text.includes(id)),
    listed: () => Effect.void,
    say: (_, { id }) => Effect.sync(() => void text.push(id)),
    press: () => Effect.succeed({ text: "stopped" }),
    change: () => Effect.void,
    changes: (_, __, wish) => Effect.succeed(JSON.stringify({ asked: wish.do }))
  }
  const files: AnswerPeersOptions["files"] = {
    find: (_, id) => Effect.succeed(stored(id)),
    read: () => Effect.succeed(body()),
    upload: (_, { name }, bytes) =>
      Effect.promise(async () => {
        for await (const _chunk of bytes);
        uploads.push(name)
        return stored(crypto.randomUUID())
      })
  }
  const ask = (more: Partial<RequestTable> = {}) =>
    makePeerPage({ store, requests: { ...requests, ...more }, files, scope }, { account, name: "there" })
  const answer = (more: Partial<AnswerPeersOptions> = {}) =>
    answerPeers({ store, account, requests, actions: userActions, files, uploadBytes: 20_000_000, ...more })
  const rows = (table: string) => store.read(store.sql<object>`select * from ${store.sql(table)}`)
  /** Polls: a store sends no notifications. */
  const until = (table: string, look: (rows: ReadonlyArray<object>) => boolean) =>
    Effect.gen(function* () {
      while (!look(yield* rows(table))) yield* Effect.sleep(10)
    })
  return { store, requests, actions: userActions, files, said: text, uploads, ask, answer, rows, until }
})

describe("what is asked of another page", () => {
  it.live("is done though its person goes away at once", () =>
    Effect.gen(function* () {
      const { ask, answer, until, rows } = yield* open
      const received = yield* Deferred.make<string>()
      const say = (_: unknown, { id }: { readonly id: string }) => Effect.asVoid(Deferred.succeed(received, id))
      const wish = wishOf()
      const asking = yield* Effect.forkChild(ask().acts.say(you, wish))
      yield* until("web_requests", ({ length }) => length === 1)
      yield* Fiber.interrupt(asking)
      const { actions: userActions } = yield* open
      yield* answer({ actions: { ...userActions, say } })
      assert.strictEqual(yield* Deferred.await(received), wish.id)
      assert.strictEqual((yield* rows("web_requests")).length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is done by a page that has begun anew since it took it", () =>
    Effect.gen(function* () {
      const { ask, answer, requests, said: text, rows } = yield* open
      const wish = wishOf()
      const id = `${account}/you/${wish.conversation}/${wish.id}`
      yield* requests.put(account, id, requestText({ person: you, act: { do: "say", wish, files: [] } }))
      assert.strictEqual((yield* requests.take(account, 16)).length, 1)
      yield* answer()
      yield* ask().acts.say(you, wish)
      assert.deepStrictEqual(text, [wish.id])
      // The answer is kept for a while, and what was said is not.
      assert.deepInclude((yield* rows("web_requests"))[0], { state: "answered", request: "" })
    }).pipe(Effect.scoped)
  )

  it.live("is done though its machine's clock is two minutes behind", () =>
    Effect.gen(function* () {
      const { store, ask, answer, said: text } = yield* open
      const wish = wishOf()
      const id = `${account}/you/${wish.conversation}/${wish.id}`
      const request = requestText({ person: you, act: { do: "say", wish, files: [] } })
      const row = { id, account, request, state: "asked", at: Date.now() - 2 * 60_000 }
      yield* store.transact(store.sql`insert into web_requests ${store.sql.insert(row)}`)
      yield* answer()
      yield* ask().acts.say(you, wish)
      assert.deepStrictEqual(text, [wish.id])
    }).pipe(Effect.scoped)
  )

  it.live("reads and acts on the changes of a conversation there", () =>
    Effect.gen(function* () {
      const { ask, answer } = yield* open
      yield* answer()
      const { changes } = ask().acts
      const conversation = crypto.randomUUID()
      const requested = [{ do: "read" }, { do: "diff", commit: "a".repeat(40), path: "b" }] as const
      for (const wish of requested) {
        assert.deepStrictEqual(JSON.parse(yield* changes(you, conversation, wish)), { asked: wish.do })
      }
    }).pipe(Effect.scoped)
  )

  it.live("has an answer though the store did not take it at first", () =>
    Effect.gen(function* () {
      const { ask, answer, requests } = yield* open
      let failures = 1
      const store = {
        ...requests,
        answer: (...of: Parameters<RequestTable["answer"]>) => (failures-- > 0 ? failure : requests.answer(...of))
      }
      yield* answer({ requests: store })
      assert.deepStrictEqual(yield* ask().acts.press(you, pressOf()), { text: "stopped" })
    }).pipe(Effect.scoped)
  )

  it.live("is not called undone because the store fails while it is waited for", () =>
    Effect.gen(function* () {
      const { ask, answer, requests } = yield* open
      yield* answer()
      let failures = 3
      const look = (id: string) => (failures-- > 0 ? failure : requests.look(id))
      assert.deepStrictEqual(yield* ask({ look }).acts.press(you, pressOf()), { text: "stopped" })
    }).pipe(Effect.scoped)
  )

  it.live("is taken no more once its page closes", () =>
    Effect.gen(function* () {
      const { store, requests, files, until, rows } = yield* open
      const scope = yield* Scope.make()
      const page = makePeerPage({ store, requests, files, scope }, { account, name: "there" })
      const asking = yield* Effect.forkChild(page.acts.press(you, pressOf()))
      yield* until("web_requests", ({ length }) => length === 1)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(asking)))
      assert.deepStrictEqual(yield* rows("web_requests"), [])
    }).pipe(Effect.scoped)
  )
})

describe("files on their way to another page", () => {
  it.live("leave nothing there or between when the message is refused", () =>
    Effect.gen(function* () {
      const { ask, answer, rows, actions: userActions, uploads } = yield* open
      yield* answer({ actions: { ...userActions, listed: () => problems.notListed } })
      const wish = wishOf({ files: [crypto.randomUUID()] })
      assert.deepInclude(yield* Effect.flip(ask().acts.say(you, wish)), { status: 403 })
      assert.deepStrictEqual(uploads, [])
      assert.deepStrictEqual(yield* rows("blobs"), [])
    }).pipe(Effect.scoped)
  )

  it.live("are kept there once, however often the message is sent", () =>
    Effect.gen(function* () {
      const { ask, answer, rows, actions: userActions, said: text, uploads } = yield* open
      let failures = 2
      const say: typeof userActions.say = (person, wish) =>
        Effect.suspend(() => (failures-- > 0 ? Effect.fail(problems.noAnswer) : userActions.say(person, wish)))
      yield* answer({ actions: { ...userActions, say } })
      const wish = wishOf({ files: [crypto.randomUUID()] })
      const { acts } = ask()
      yield* Effect.retry(acts.say(you, wish), { times: 2 })
      // Its answer was lost.
      yield* acts.say(you, wish)
      assert.deepStrictEqual(text, [wish.id])
      assert.deepStrictEqual(uploads, ["plan.bin"])
      assert.deepStrictEqual(yield* rows("blobs"), [])
    }).pipe(Effect.scoped)
  )

  it.live("are removed there if the caller has gone meanwhile", () =>
    Effect.gen(function* () {
      const { ask, answer, files, rows, until } = yield* open
      const rest = yield* Deferred.make<void>()
      const read = () =>
        Effect.succeed(
          new ReadableStream<Uint8Array>({
            start: (controller) => controller.enqueue(new Uint8Array(1_500_000)),
            pull: async (controller) => {
              await Effect.runPromise(Deferred.await(rest))
              controller.close()
            }
          })
        )
      yield* answer({ files: { ...files, read } })
      const reading = yield* Effect.forkChild(ask().read(you, crypto.randomUUID()))
      yield* until("blobs", ({ length }) => length === 1)
      yield* Fiber.interrupt(reading)
      yield* Deferred.succeed(rest, undefined)
      yield* until("blobs", ({ length }) => length === 0)
      assert.deepStrictEqual(yield* rows("web_requests"), [])
    }).pipe(Effect.scoped)
  )

  it.live("go with time where both pages have stopped, and nothing else does", () =>
    Effect.gen(function* () {
      const { store, rows } = yield* open
      const put = (hash: string, created: number) =>
        store.transact(store.sql`insert into blobs ${store.sql.insert({ hash, bytes: new Uint8Array(1), created })}`)
      const now = Date.now()
      yield* put("web:web.there/you/file/1:0", now - 2 * 60 * 60_000)
      yield* put("web:web.there/you/file/2:0", now)
      yield* put("0a", 0)
      yield* removeOldPieces(store)
      assert.sameMembers(
        (yield* rows("blobs")).map((row) => ("hash" in row ? row.hash : undefined)),
        ["web:web.there/you/file/2:0", "0a"]
      )
    }).pipe(Effect.scoped)
  )
})

const uuid = () => crypto.randomUUID()

describe("an answer of another page", () => {
  it.each([
    ["a problem of another form", { problem: { status: 503, error: "later", retryAfterS: 0.5 } }],
    ["a problem with an invalid status", { problem: { status: 200, error: "" } }],
    ["nothing", {}],
    ["what is of another version", { text: "allowed" }],
    ["more pieces than any file has", { done: { pieces: 1_000_000_000 } }],
    ["what is without end", { done: { text: "a".repeat(5_000_000) } }]
  ])("that is %s says nothing", (_, answer) => {
    assert.isTrue(Option.isNone(readAnswer(JSON.stringify(answer))))
  })

  it("is read with members that are not known here", () => {
    const answer = readAnswer(JSON.stringify({ done: { text: "allowed", mood: "good" } }))
    assert.deepStrictEqual(Option.getOrThrow(answer), { done: { text: "allowed" } })
  })
})

describe("a request", () => {
  it("is of a person with many roles and a long name, too", () => {
    const person = { id: "ann", name: "a".repeat(5_000), roles: Array.from({ length: 500 }, (_, at) => `role ${at}`) }
    const input = { person, act: { do: "file", file: uuid() } } as const
    assert.deepStrictEqual(Option.getOrThrow(readRequest(requestText(input))), input)
    const others = Array.from({ length: 5_000 }, () => "a".repeat(1_000))
    assert.isTrue(Option.isNone(readRequest(requestText({ ...input, person: { ...person, roles: others } }))))
  })
})
