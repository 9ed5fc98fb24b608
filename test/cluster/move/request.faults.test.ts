/** Reports to the caller of a move: its steps, its end, and the reason of a refusal. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { holdSubject } from "../../../src/agents/guard/hold.ts"
import { MovePatience, type MoveRequest, requestMove } from "../../../src/cluster/move/requestMove.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { addSession } from "../../conversations/kit/rows.ts"
import { openIn } from "../../conversations/store/stores.ts"
import { hasPostgres } from "../../kit/postgres.ts"
import { addClaude, askMove, claudeFile, openHomes, perform, running, sessionOf, textOf } from "./homes.ts"
import { claudeId } from "./kit.ts"

const unknown = "nobody-0123456789ab"

const errorOf = (request: MoveRequest) => Effect.flip(requestMove(request))

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** With less patience than a person has. */
const impatient = (silentMs: number, longestMs: number) => Effect.provideService(MovePatience, { silentMs, longestMs })

describe("a move that cannot be", () => {
  it.live("has no store in common", () =>
    Effect.gen(function* () {
      const store = yield* openIn(Store.layerMemory())
      const error = yield* errorOf({ store, id: "key-1", to: unknown })
      assert.strictEqual(error._tag, "NotShared")
      assert.match(error.message, /with a store on PostgreSQL/)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasPostgres)("a move that is asked for", () => {
  it.live("is performed by both homes, and its steps are reported", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      const file = yield* addClaude(from, work, "one")
      for (const home of [from, to]) yield* running(home)
      const reported: Array<string> = []
      const request = {
        store: to.store,
        id: "key-1",
        to: to.store.home,
        onProgress: (words: string) => Effect.sync(() => void reported.push(words))
      }
      assert.deepStrictEqual(yield* requestMove(request), { home: to.store.home, directory: work })
      assert.strictEqual(reported[0], `${from.store.home} packs it`)
      assert.strictEqual(textOf(claudeFile(to, work)), textOf(file))
      assert.strictEqual((yield* sessionOf(from))?.home, to.store.home)
      const back = { ...request, to: from.store.home }
      assert.deepStrictEqual(yield* requestMove(back), { home: from.store.home, directory: work })
    }).pipe(Effect.scoped)
  )

  it.live("is refused, and changes nothing", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      const { store } = from
      yield* addClaude(from, work, "one")
      yield* addSession(store, { key: "key-g", cli: "gemini", directory: work })
      yield* addSession(store, { key: "key-d", session_id: "another" })
      const request = { store, id: "key-1", to: to.store.home }
      const tagOf = (change: Partial<MoveRequest>) =>
        Effect.map(errorOf({ ...request, ...change }), (error) =>
          error._tag === "StoreError" ? error.reason._tag : error._tag
        )
      assert.strictEqual(yield* tagOf({ id: "nobody" }), "UnknownSession")
      assert.strictEqual(yield* tagOf({ to: "" }), "UnknownHome")
      assert.strictEqual(yield* tagOf({ to: "../x" }), "UnknownHome")
      assert.strictEqual(yield* tagOf({ to: store.home }), "SameHome")
      assert.strictEqual(yield* tagOf({ id: "key-g" }), "CannotBeMoved")
      assert.match((yield* errorOf({ ...request, id: "key-g" })).message, /begin anew there, with --fresh/)
      assert.strictEqual(yield* tagOf({ id: "key-d" }), "InvalidParams")
      for (const directory of ["", "relative/path", "/a\0b", "/a\nb", `/${"x".repeat(5000)}`]) {
        assert.strictEqual(yield* tagOf({ directory }), "InvalidParams")
      }
      const { sql, read } = store
      assert.deepStrictEqual(yield* read(sql`select * from session_moves`), [])
      yield* askMove(from, to, work)
      assert.strictEqual(yield* tagOf({}), "MoveOpen")
    }).pipe(Effect.scoped)
  )

  it.live("is given up if no home starts it within half a minute", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      const request = { store: to.store, id: "key-1", to: to.store.home }
      const unpacked = yield* impatient(1_000, 60_000)(errorOf(request))
      assert.deepInclude(unpacked, { _tag: "HomeDown", home: from.store.home })
      assert.strictEqual((yield* sessionOf(from))?.home, from.store.home)
      const asking = yield* Effect.forkScoped(impatient(1_000, 60_000)(errorOf(request)))
      while ((yield* sessionOf(from))?.home === from.store.home) yield* perform(from)
      const packed = yield* Fiber.join(asking)
      assert.deepInclude(packed, { _tag: "HomeDown", home: to.store.home })
      assert.strictEqual((yield* sessionOf(from))?.home, from.store.home)
      yield* perform(to)
      assert.isUndefined(textOf(claudeFile(to, work)))
    }).pipe(Effect.scoped)
  )

  it.live("is given up if the session is in use for five minutes", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      const subject = { what: "session", cli: "claude", sessionId: claudeId } as const
      yield* from.at(holdSubject({ subject, runId: "run", isPatient: false, patienceMs: 0, queued: () => {} }))
      yield* running(from)
      const request = { store: to.store, id: "key-1", to: to.store.home }
      const error = yield* impatient(60_000, 3_000)(errorOf(request))
      assert.deepInclude(error, { _tag: "SessionBusy", subject: claudeId })
      assert.strictEqual((yield* sessionOf(from))?.home, from.store.home)
    }).pipe(Effect.scoped)
  )

  it.live("is given up when its caller leaves, unless a home has begun it", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      const { sql, read } = from.store
      const states = read(sql<{ readonly state: string }>`select state from session_moves`)
      const asking = yield* Effect.forkScoped(requestMove({ store: to.store, id: "key-1", to: to.store.home }))
      while ((yield* states).length === 0) yield* turn
      yield* Fiber.interrupt(asking)
      assert.deepStrictEqual(yield* states, [{ state: "failed" }])
    }).pipe(Effect.scoped)
  )
})
