/** Missing or damaged data, data of another version or machine, and a store that fails in the middle of a run. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { StoreUnavailable } from "../../src/contract/AgentError.ts"
import { StoreError } from "../../src/contract/StoreError.ts"
import { clearConversation } from "../../src/conversations/history/change.ts"
import { makeNameLocks } from "../../src/conversations/store/nameLocks.ts"
import type { OpenStore } from "../../src/conversations/store/OpenStore.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { blankOldTexts } from "../../src/conversations/turns/oldTexts.ts"
import { writeSpilled } from "../../src/conversations/turns/settlement.ts"
import { HostEnvironment } from "../../src/system/process/HostEnvironment.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { conversing, testAgent } from "./kit.ts"

/** A store in a file, and a state directory of its own. */
const stored = Layer.unwrap(
  Effect.map(makeDirectory, (directory) =>
    Layer.merge(
      Store.layerFile({ directory: join(directory, "store") }),
      Layer.succeed(HostEnvironment, { ...process.env, XDG_STATE_HOME: join(directory, "state") })
    )
  )
)

const test = <E>(name: string, body: Effect.Effect<void, E, Store>) =>
  it.effect(name, () => Effect.scoped(Effect.provide(body, stored)))

const change = (statement: string) => Effect.flatMap(Store, ({ sql, read }) => read(sql.unsafe(statement)))

const turn = { conversation: "a", prompt: "hello", turnId: "t" }

describe("a conversation", () => {
  test(
    "whose directory is gone says so, and what to do",
    Effect.gen(function* () {
      const directory = yield* Effect.scoped(makeDirectory)
      mkdirSync(directory, { recursive: true })
      const { run } = yield* conversing(testAgent([{}]))
      yield* run({ conversation: "a", prompt: "hello", workingDirectory: directory })
      rmSync(directory, { recursive: true })
      const { reason } = yield* Effect.flip(run({ conversation: "a", prompt: "and now?" }))
      assert.include(reason.message, `workingDirectory: ${JSON.stringify(directory)}, in which the conversation was`)
      assert.include(reason.message, "name another one, or begin anew with fresh")
      yield* run({ conversation: "a", prompt: "and now?", fresh: true })
    }).pipe(Effect.scoped)
  )

  test(
    "of a CLI that goes on in no other directory is refused there",
    Effect.gen(function* () {
      const agent = testAgent([{ sessionId: "s" }])
      const { run } = yield* conversing(agent, { isBoundToDirectory: true })
      yield* run({ conversation: "a", prompt: "hello", workingDirectory: "/usr" })
      const { reason } = yield* Effect.flip(run({ conversation: "a", prompt: "two", workingDirectory: "/tmp" }))
      assert.deepInclude(reason, { _tag: "SessionElsewhere", sessionId: "s", directory: "/usr", asked: "/tmp" })
      assert.strictEqual(agent.calls.length, 1)
    }).pipe(Effect.scoped)
  )

  test(
    "whose session lies on another machine is refused here",
    Effect.gen(function* () {
      const { run } = yield* conversing(testAgent([{ sessionId: "s" }]))
      yield* run({ conversation: "a", prompt: "hello" })
      yield* change("update sessions set home = 'elsewhere-0123456789ab'")
      const { reason } = yield* Effect.flip(run({ conversation: "a", prompt: "two" }))
      assert.strictEqual(reason._tag, "SessionElsewhere")
      assert.include(reason.message, 'is at the home "elsewhere-0123456789ab"')
      // By the name that people gave it, where it has one.
      const row = "id, name, slot, host, version, protocol, clis, directories, state, started, beat"
      const values = "'elsewhere-0123456789ab', 'build-2', 1, '', '', 1, '[]', '[]', 'serving', 0, 0"
      yield* change(`insert into cluster_homes (${row}) values (${values})`)
      const named = yield* Effect.flip(run({ conversation: "a", prompt: "two" }))
      assert.include(named.reason.message, 'is at the home "build-2", in ')
    }).pipe(Effect.scoped)
  )

  test(
    "is not hurt by unreadable rows",
    Effect.gen(function* () {
      const { run } = yield* conversing(testAgent([{}]))
      yield* run(turn)
      yield* change("update turns set result = '{\"result\":1'")
      const { reason } = yield* Effect.flip(run(turn))
      assert.include(reason.message, 'the end of the turn "t" cannot be read by this version')
      yield* run({ ...turn, turnId: "u" })
    }).pipe(Effect.scoped)
  )
})

describe("a turn", () => {
  test(
    "is not run again when its texts are no longer kept",
    Effect.gen(function* () {
      const agent = testAgent([{ text: "secret" }])
      const { run, context } = yield* conversing(agent)
      const before = yield* run(turn)
      yield* change("update turns set ended = 1")
      yield* blankOldTexts({ ...context.store, keep: { ...context.store.keep, turnsMs: -10 } })
      assert.deepStrictEqual(yield* run(turn), { ...before, text: "" })
      assert.strictEqual(agent.calls.length, 1)
      const rows = yield* change("select * from turns")
      assert.notInclude(JSON.stringify(rows), "secret")
      assert.notInclude(JSON.stringify(rows), "hello")
    }).pipe(Effect.scoped)
  )
})

/** From the next statement on it fails. */
const failing = (store: OpenStore) => {
  let isBroken = false
  const problem = new StoreError({ reason: new StoreUnavailable({ problem: "the disk is full" }) })
  const broken: OpenStore = {
    ...store,
    transact: (work) => (isBroken ? Effect.fail(problem) : store.transact(work)),
    read: (work) => (isBroken ? Effect.fail(problem) : store.read(work))
  }
  return { broken, set: (next: boolean) => (isBroken = next) }
}

/** The turn has ended in the session `s` while nothing could be written; now it can be. */
const endedWithoutStore = Effect.gen(function* () {
  const gate = Deferred.makeUnsafe<void>()
  const agent = testAgent([{ sessionId: "s", text: "42", until: Deferred.await(gate) }, {}])
  const { broken, set } = failing(yield* Store)
  const { run } = yield* conversing(agent).pipe(Effect.provideService(Store, broken))
  const running = yield* Effect.forkChild(run(turn))
  yield* agent.started(1)
  set(true)
  yield* Deferred.succeed(gate, undefined)
  const { text } = yield* Fiber.join(running)
  set(false)
  return { agent, broken, run, text }
})

describe("a store that fails", () => {
  test(
    "before anything is started refuses the turn",
    Effect.gen(function* () {
      const agent = testAgent([{}])
      const { broken, set } = failing(yield* Store)
      const { run } = yield* conversing(agent).pipe(Effect.provideService(Store, broken))
      set(true)
      assert.strictEqual((yield* Effect.flip(run(turn))).reason.message, "The store cannot be used: the disk is full")
      assert.deepStrictEqual(
        agent.calls.filter(({ isSpawned }) => isSpawned),
        []
      )
    }).pipe(Effect.scoped)
  )

  test(
    "in the middle of a run costs it nothing, and has its end when it is opened again",
    Effect.gen(function* () {
      const { agent, run, text } = yield* endedWithoutStore
      assert.strictEqual(text, "42")
      const state = (yield* HostEnvironment)["XDG_STATE_HOME"] ?? ""
      const folder = join(state, "reins", "unwritten")
      const [file = ""] = readdirSync(folder)
      assert.strictEqual(statSync(join(folder, file)).mode & 0o777, 0o600)
      assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
      // The next look at the turn finds its end.
      assert.strictEqual((yield* run(turn)).text, "42")
      assert.isFalse(existsSync(join(folder, file)))
      yield* run({ ...turn, turnId: "u" })
      assert.strictEqual(agent.calls[1]?.params.sessionId, "s")
    }).pipe(Effect.scoped)
  )

  test(
    "and the next turn continues its session, even if the host of the last one has not yet left it",
    Effect.gen(function* () {
      const { agent, run } = yield* endedWithoutStore
      const { take } = yield* makeNameLocks(yield* Store, "turn")
      assert.isTrue(yield* take(turn.turnId))
      yield* run({ ...turn, turnId: "u" })
      assert.strictEqual(agent.calls[1]?.params.sessionId, "s")
    }).pipe(Effect.scoped)
  )

  test(
    "and a conversation that is cleared meanwhile: it stays so when the end is written",
    Effect.gen(function* () {
      const { agent, broken, run } = yield* endedWithoutStore
      const free = { holdSession: () => Effect.void, holdConversation: () => Effect.void }
      const history = { store: broken, clis: [], whoHolds: () => Effect.succeed(undefined), ...free }
      yield* clearConversation(history, turn.conversation)
      yield* run({ ...turn, turnId: "u" })
      assert.isUndefined(agent.calls[1]?.params.sessionId)
    }).pipe(Effect.scoped)
  )

  test(
    "leaves files that are not of its making where they are",
    Effect.gen(function* () {
      const store = yield* Store
      const gate = Deferred.makeUnsafe<void>()
      const agent = testAgent([{ until: Deferred.await(gate) }])
      const { broken, set } = failing(store)
      const { run } = yield* conversing(agent).pipe(Effect.provideService(Store, broken))
      const running = yield* Effect.forkChild(run(turn))
      yield* agent.started(1)
      set(true)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(running)
      const folder = join((yield* HostEnvironment)["XDG_STATE_HOME"] ?? "", "reins", "unwritten")
      const [file = ""] = readdirSync(folder)
      const others = [file.replace(/-.*/, "-half.json"), "x.json"]
      for (const other of others) writeFileSync(join(folder, other), '{"version":1')
      yield* writeSpilled(store)
      assert.sameMembers(readdirSync(folder), others)
    }).pipe(Effect.scoped)
  )
})
