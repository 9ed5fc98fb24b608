/** Turns as rows: the same id is the same turn, for any caller, and a begun turn is not begun again unasked. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { resultOfNothing } from "../../src/agents/engine/result.ts"
import { AgentFailed, Exited } from "../../src/contract/AgentError.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { settlementOf, writeSettlement } from "../../src/conversations/turns/settlement.ts"
import {
  claimTurn,
  enqueueTurn,
  forgetTurn,
  orphanTurn,
  spawnTurn,
  turnById,
  turnStates
} from "../../src/conversations/turns/turnRows.ts"
import { conversing, type Play, stores, testAgent } from "./kit.ts"

const end = {
  result: {
    ...resultOfNothing(new Exited({ exitCode: 0, category: "other", stderr: "" })),
    outcome: "completed",
    reason: "completed"
  },
  failure: undefined,
  hadOutput: true
} as const

/** The state after each step; of one that is not possible the state stays. */
const table: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  queued: { claim: "claimed", forget: "gone" },
  claimed: { spawn: "spawned", orphan: "queued", settle: "done", again: "queued", forget: "gone" },
  spawned: { settle: "done", again: "queued", orphan: "interrupted" },
  interrupted: { spawn: "spawned", settle: "done" },
  done: {}
}

const steps = {
  claim: (store: Store["Service"]) => claimTurn(store, { turnId: "t", runId: "r2", cli: "claude" }, 2),
  spawn: (store: Store["Service"]) => spawnTurn(store, "r"),
  settle: (store: Store["Service"]) => writeSettlement(store, { ...judged(), turn: { state: "done", result: "{}" } }),
  again: (store: Store["Service"]) => writeSettlement(store, { ...judged(), turn: { state: "queued", result: null } }),
  orphan: (store: Store["Service"]) =>
    Effect.flatMap(turnById(store, "t"), (turn) => (turn === undefined ? Effect.void : orphanTurn(store, turn, 3))),
  forget: (store: Store["Service"]) => forgetTurn(store, "t")
}

const judged = () =>
  settlementOf(
    {
      runId: "r",
      turnId: "t",
      cli: "claude",
      end,
      asked: undefined,
      isFork: false,
      opened: undefined,
      isRemembered: false,
      model: undefined,
      conversation: undefined,
      mayReset: false,
      mayForget: true
    },
    3
  ).settlement

describe.each(stores)("turns, in %s", (_, layer) => {
  const test = <E>(name: string, body: Effect.Effect<void, E, Store | Scope.Scope>) =>
    it.effect(name, () => Effect.scoped(Effect.provide(body, layer())))

  test(
    "go from state to state, and no other way",
    Effect.gen(function* () {
      const store = yield* Store
      const { sql, read } = store
      for (const state of turnStates) {
        for (const [name, step] of Object.entries(steps)) {
          yield* read(sql`delete from turns`)
          yield* read(sql`delete from runs`)
          yield* enqueueTurn(store, { turnId: "t", conversation: "c", cli: "claude", prompt: "p", digest: "d" }, 1)
          if (state !== "queued") yield* claimTurn(store, { turnId: "t", runId: "r", cli: "claude" }, 1)
          yield* read(sql`update turns set state = ${state}`)
          yield* step(store)
          const after = (yield* turnById(store, "t"))?.state ?? "gone"
          assert.strictEqual(after, table[state]?.[name] ?? state, `${state} ${name}`)
        }
      }
    })
  )

  const twice = (play: Play) =>
    Effect.gen(function* () {
      const agent = testAgent([play, {}])
      const { run } = yield* conversing(agent)
      const turn = { conversation: "a", turnId: "t", prompt: "hello" }
      const one = yield* Effect.result(run(turn))
      const other = yield* Effect.result(run(turn))
      return { one, other, runs: agent.calls.length }
    })

  test(
    "answer again with what they ended with, and run nothing",
    Effect.gen(function* () {
      const { one, other, runs } = yield* twice({ text: "42", facts: { numTurns: 1, totalCostUsd: 1 } })
      assert.deepStrictEqual(other, one)
      assert.strictEqual(runs, 1)
    })
  )

  test(
    "fail again with what they failed with",
    Effect.gen(function* () {
      const failure = new Exited({ exitCode: 3, category: "crash", stderr: "x" })
      const { one, other, runs } = yield* twice({ failure, text: "some" })
      if (one._tag !== "Failure" || other._tag !== "Failure") return assert.fail("no failure")
      assert.deepStrictEqual(other.failure.toJSON(), one.failure.toJSON())
      assert.isTrue(other.failure.reason instanceof Exited)
      assert.strictEqual(runs, 1)
    })
  )

  test(
    "run again where the failure may pass, and nothing had come",
    Effect.gen(function* () {
      const failure = new AgentFailed({ code: "x", category: "overloaded", detail: "" })
      assert.strictEqual((yield* twice({ failure, text: "" })).runs, 2)
    })
  )

  test(
    "do not run again after a word had come",
    Effect.gen(function* () {
      const failure = new AgentFailed({ code: "x", category: "overloaded", detail: "" })
      assert.strictEqual((yield* twice({ failure, text: "a word" })).runs, 1)
    })
  )

  test(
    "are events again: session, text, done",
    Effect.gen(function* () {
      const { run, events } = yield* conversing(testAgent([{ text: "42" }]))
      const turn = { conversation: "a", turnId: "t", prompt: "hello" }
      yield* run(turn)
      assert.deepStrictEqual(
        (yield* events(turn)).map(({ type }) => type),
        ["session", "text", "done"]
      )
    })
  )

  test(
    "are refused for another prompt, conversation or attachment",
    Effect.gen(function* () {
      const agent = testAgent([{}])
      const { run } = yield* conversing(agent)
      const turn = { conversation: "a", turnId: "t", prompt: "hello", attachments: [{ path: "a.png" }] }
      yield* run(turn)
      const others = [
        { ...turn, prompt: "hello " },
        { ...turn, conversation: "b" },
        { ...turn, conversation: undefined },
        { ...turn, attachments: [{ path: "b.png" }] }
      ]
      for (const other of others) {
        assert.strictEqual((yield* Effect.flip(run(other))).reason._tag, "TurnMismatch")
      }
      assert.strictEqual(agent.calls.length, 1)
    })
  )

  test(
    "wait for the same turn while it runs, for as long as it takes",
    Effect.gen(function* () {
      const gate = Deferred.makeUnsafe<void>()
      const agent = testAgent([{ until: Deferred.await(gate), text: "42" }])
      const { run } = yield* conversing(agent)
      const turn = { conversation: "a", turnId: "t", prompt: "hello" }
      const one = yield* Effect.forkChild(run(turn))
      yield* agent.started(1)
      const other = yield* Effect.forkChild(run(turn), { startImmediately: true })
      yield* TestClock.adjust("10 minutes")
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(other), yield* Fiber.join(one))
      assert.strictEqual(agent.calls.length, 1)
    })
  )
})
