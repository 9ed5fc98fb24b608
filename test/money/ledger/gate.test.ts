/** Entries: started runs, their accounts and payers; and exceptions. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { admit } from "../../../src/agents/engine/admission.ts"
import { scopedFork } from "../../../src/agents/engine/setUp.ts"
import { SpawnFailed } from "../../../src/contract/AgentError.ts"
import type { RunStart } from "../../../src/contract/Start.ts"
import { makeNameLocks } from "../../../src/conversations/store/nameLocks.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeLedgerGate } from "../../../src/money/ledger/ledgerGate.ts"
import { noBudgets } from "../../../src/money/ledger/money.ts"
import { entryOfRow } from "../../../src/money/ledger/rows.ts"
import { noPrices } from "../../../src/money/prices/makePricing.ts"
import { endOf } from "./kernel.ts"

const startOf = (params: Partial<RunStart["params"]> = {}): RunStart => ({
  type: "run",
  id: "r",
  cli: "claude",
  workingDirectory: "/project",
  limits: {},
  params: { prompt: "", ...params }
})

const setUp = Effect.gen(function* () {
  const store = yield* Store
  const { gate, observer } = makeLedgerGate({
    store,
    locks: yield* makeNameLocks(store, "run"),
    money: noBudgets,
    pricing: noPrices,
    account: { user: "ada" },
    paysByApiKey: (_, authSource) => authSource !== "none"
  })
  const background = yield* scopedFork
  const begin = Effect.fnUntraced(function* (start: RunStart) {
    const scope = yield* Scope.make()
    const observation = observer.begin(start, (text) => text)
    const admission = yield* Scope.provide(
      admit([gate], start, () => {}, background),
      scope
    ).pipe(Effect.onInterrupt(() => Scope.close(scope, Exit.void)))
    return { ...admission, observation, close: Scope.close(scope, Exit.void) }
  })
  const rows = (table: string) => store.read(store.sql<object>`select * from ${store.sql(table)}`)
  const entries = Effect.map(rows("usage_entries"), (found) => found.flatMap((row) => entryOfRow(row) ?? []))
  return { begin, entries, open: rows("usage_open") }
})

const end = endOf({ usage: { inputTokens: 40 }, totalCostUsd: 0.25 })
const provided = Effect.provide(Store.layerMemory())

describe("an entry", () => {
  it.effect("is of what was started, and of nothing else", () =>
    Effect.gen(function* () {
      const { begin, entries, open } = yield* setUp
      const refused = yield* begin(startOf())
      assert.lengthOf(yield* open, 1)
      yield* refused.close
      const unspawned = yield* begin(startOf())
      yield* unspawned.starting ?? Effect.void
      const failure = new SpawnFailed({ command: "claude", problem: "no memory" })
      yield* unspawned.settle?.(endOf({}, failure)) ?? Effect.void
      yield* unspawned.close
      assert.deepStrictEqual([yield* open, yield* entries], [[], []])
      const failed = yield* begin(startOf())
      yield* failed.starting ?? Effect.void
      yield* failed.onUsage?.({ type: "usage", usage: { inputTokens: 7 } }) ?? Effect.void
      // A defect: its end is unknown.
      yield* failed.close
      assert.lengthOf(yield* open, 0)
      const [entry] = yield* entries
      assert.deepInclude(entry, { input: 7, source: "none", micros: null })
    }).pipe(provided, Effect.scoped)
  )

  it.effect("is not of a start that its caller has left while the store was asked", () =>
    Effect.gen(function* () {
      const { begin, entries, open } = yield* setUp
      for (const yields of [0, 1, 2, 4, 8, 16]) {
        const staying = Effect.flatMap(begin(startOf()), ({ close }) => Effect.onInterrupt(Effect.never, () => close))
        const fiber = yield* Effect.forkChild(staying)
        for (let index = 0; index < yields; index++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      }
      assert.deepStrictEqual([yield* entries, yield* open], [[], []])
    }).pipe(provided, Effect.scoped)
  )

  it.effect.each([
    [{}, { project: "/project", user: "ada", sessionId: "s" }],
    [{ account: { project: "tower" } }, { project: "tower", user: "ada" }],
    [{ account: { user: "grace" } }, { project: "/project", user: "grace" }],
    [{ sessionId: "old", forkSession: true }, { sessionId: "s" }],
    [{ model: "asked" }, { model: "told", billing: "api" }]
  ] as const)("is of the account, session and model of its run: %j", ([params, expected]) =>
    Effect.gen(function* () {
      const { begin, entries } = yield* setUp
      const run = yield* begin(startOf(params))
      yield* run.starting ?? Effect.void
      run.observation?.events?.({
        position: 0,
        atMs: 1,
        events: [
          { type: "session", sessionId: "s", model: "told", authSource: "KEY" },
          { type: "session", sessionId: "child", model: "other", parentToolId: "t" }
        ]
      })
      yield* run.opened?.("s") ?? Effect.void
      yield* run.settle?.(end) ?? Effect.void
      yield* run.close
      const [entry, ...others] = yield* entries
      assert.deepStrictEqual(others, [])
      assert.deepInclude(entry, expected)
    }).pipe(provided, Effect.scoped)
  )
})
