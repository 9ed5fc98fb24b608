/** Reservations of runs before they start, their raises and their stops; sums in the store, on a clock of the test. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import type { Budget } from "../../../../src/contract/Budget.ts"
import { Store } from "../../../../src/conversations/store/Store.ts"
import { removeRuns } from "../../../../src/money/ledger/budgets/windowRows.ts"
import { bookkeeping, entryOfRun, openRun } from "./kit.ts"

const noon = Date.parse("2026-11-23T12:00Z")
const midnight = Date.parse("2026-11-24T00:00Z")
const day: Budget = { name: "day", window: "day", usd: 1, reserve: 0.3 }
const dollars = (usd: number) => Math.round(usd * 1e6)

const book = <A, E>(name: string, test: Effect.Effect<A, E, Store | Scope.Scope>) =>
  it.effect(name, () => test.pipe(Effect.provide(Layer.fresh(Store.layerMemory())), Effect.scoped))

describe("reserved before the start", () => {
  book(
    "as many as there is room for, the others are refused, and a place becomes free with what was really spent",
    Effect.gen(function* () {
      const { begin, end, windows } = yield* bookkeeping([day])
      const runs = Array.from({ length: 10 }, (_, index) => openRun(`r${index}`, noon))
      const results = yield* Effect.forEach(runs, (run) => Effect.result(begin(run)), { concurrency: 10 })
      const admitted = runs.filter((_, index) => results[index]?._tag === "Success")
      assert.lengthOf(admitted, 3)
      assert.deepStrictEqual(yield* windows, [{ budget: "day", subject: "", spent: 0, reserved: dollars(0.9) }])
      const refused = yield* Effect.flip(begin(openRun("late", noon)))
      assert.deepInclude(refused, {
        _tag: "BudgetExceeded",
        code: "budget_exceeded",
        category: "billing",
        retryable: false,
        budget: "day",
        unit: "usd",
        limit: 1,
        spent: 0,
        reserved: 0.9,
        asked: 0.3,
        freeAt: midnight
      })
      for (const run of admitted) yield* end(run, [entryOfRun(run, noon, { micros: dollars(0.1) })])
      assert.deepStrictEqual(yield* windows, [{ budget: "day", subject: "", spent: dollars(0.3), reserved: 0 }])
      yield* begin(openRun("next", noon))
    })
  )

  book(
    "by the caller's own limit, else by what such runs needed; never more than the limit for a mere estimate",
    Effect.gen(function* () {
      const { begin, end, windows } = yield* bookkeeping([{ name: "all", window: "total", usd: 3 }])
      const reserved = Effect.map(windows, ([window]) => window?.reserved)
      const first = openRun("first", noon)
      yield* begin(first)
      assert.strictEqual(yield* reserved, dollars(0.5))
      yield* end(first, [])
      const limited = openRun("limited", noon)
      yield* begin(limited, 0.7)
      assert.strictEqual(yield* reserved, dollars(0.7))
      yield* end(limited, [])
      for (let n = 1; n <= 10; n++) {
        const run = openRun(`run${n}`, noon + n)
        yield* begin(run)
        yield* end(run, [entryOfRun(run, noon + n, { micros: n * 1000 })])
      }
      const eleventh = openRun("eleventh", noon + 20)
      yield* begin(eleventh)
      assert.strictEqual(yield* reserved, 9000)
      yield* end(eleventh, [])
      yield* begin(openRun("other", noon + 20, { model: "another" }))
      assert.strictEqual(yield* reserved, dollars(0.5))
    })
  )

  book(
    "an estimate above the limit lets one run in",
    Effect.gen(function* () {
      const { begin } = yield* bookkeeping([{ name: "small", window: "day", usd: 0.2 }])
      yield* begin(openRun("one", noon))
      const refused = yield* Effect.flip(begin(openRun("two", noon)))
      assert.deepInclude(refused, { _tag: "BudgetExceeded", asked: 0.2, reserved: 0.2 })
    })
  )

  book(
    "more than the limit is never free by itself",
    Effect.gen(function* () {
      const { begin } = yield* bookkeeping([{ name: "day", window: "day", usd: 1 }])
      const refused = yield* Effect.flip(begin(openRun("one", noon), 2))
      assert.isTrue(refused._tag === "BudgetExceeded" && refused.freeAt === undefined)
    })
  )
})

describe("raised while it runs", () => {
  book(
    "as far as there is room; beyond it `stop` ends the run, and `refuse` lets it go on",
    Effect.gen(function* () {
      const { begin, windows } = yield* bookkeeping([
        { ...day, name: "hard", onExceeded: "stop" },
        { ...day, name: "soft" }
      ])
      const { raise, maxBudgetUsd } = yield* begin(openRun("one", noon))
      assert.strictEqual(maxBudgetUsd, 1)
      yield* raise({ micros: dollars(0.2), usage: {}, turns: undefined })
      const reservedOf = Effect.map(windows, (all) => all.map(({ reserved }) => reserved))
      assert.deepStrictEqual(yield* reservedOf, [dollars(0.3), dollars(0.3)])
      yield* raise({ micros: dollars(0.4), usage: {}, turns: undefined })
      assert.deepStrictEqual(yield* reservedOf, [dollars(0.7), dollars(0.7)])
      yield* begin(openRun("two", noon))
      const stopped = yield* Effect.flip(raise({ micros: dollars(0.8), usage: {}, turns: undefined }))
      assert.deepInclude(stopped, { _tag: "BudgetExceeded", budget: "hard", asked: 0.8, reserved: 0.3, spent: 0 })
      assert.deepStrictEqual(yield* reservedOf, [dollars(1), dollars(1)])
    })
  )

  book(
    "of a run alone, and of a live session with all its turns",
    Effect.gen(function* () {
      const { begin, end } = yield* bookkeeping([{ name: "run", window: "run", usd: 1 }])
      const first = openRun("t1", noon, { kind: "turn", runId: "session" })
      const { raise } = yield* begin(first)
      yield* raise({ micros: dollars(0.9), usage: {}, turns: undefined })
      yield* end(first, [entryOfRun(first, noon, { micros: dollars(0.9), turnId: "t1" })])
      const { raise: further, maxBudgetUsd } = yield* begin(openRun("t2", noon, { kind: "turn", runId: "session" }))
      assert.closeTo(maxBudgetUsd ?? 0, 0.1, 1e-9)
      yield* begin(openRun("another", noon))
      const stopped = yield* Effect.flip(further({ micros: dollars(0.2), usage: {}, turns: undefined }))
      assert.deepInclude(stopped, { _tag: "BudgetExceeded", budget: "run", spent: 0.9, limit: 1, asked: 0.2 })
    })
  )

  book(
    "in tokens and in turns",
    Effect.gen(function* () {
      const { begin } = yield* bookkeeping([
        { name: "tokens", window: "day", tokens: 1000, reserve: 100, onExceeded: "stop" },
        { name: "turns", window: "day", turns: 5, reserve: 1, onExceeded: "stop" }
      ])
      const { raise } = yield* begin(openRun("one", noon))
      yield* raise({ micros: undefined, usage: { inputTokens: 500, cacheReadTokens: 500 }, turns: 5 })
      const usage = { inputTokens: 500, cacheReadTokens: 500, outputTokens: 1 }
      const tokens = yield* Effect.flip(raise({ micros: undefined, usage, turns: 5 }))
      assert.deepInclude(tokens, { budget: "tokens", unit: "tokens", asked: 1001, limit: 1000 })
      const turns = yield* Effect.flip(raise({ micros: undefined, usage: {}, turns: 6 }))
      assert.strictEqual(turns._tag === "BudgetExceeded" ? turns.budget : "", "turns")
    })
  )
})

describe("a store that is gone in the middle", () => {
  book(
    "lets the run go on, until it alone has spent more than was left",
    Effect.gen(function* () {
      const { begin, end, state, windows } = yield* bookkeeping([{ ...day, onExceeded: "stop" }])
      const before = openRun("before", noon)
      yield* begin(before)
      yield* end(before, [entryOfRun(before, noon, { micros: dollars(0.2) })])
      const { raise, closed } = yield* begin(openRun("one", noon))
      state.isGone = true
      yield* raise({ micros: dollars(0.8), usage: {}, turns: undefined })
      const stopped = yield* Effect.flip(raise({ micros: dollars(0.81), usage: {}, turns: undefined }))
      assert.deepInclude(stopped, { _tag: "BudgetExceeded", spent: 0.2, asked: 0.81 })
      yield* closed
      state.isGone = false
      assert.deepStrictEqual(
        (yield* windows).map(({ reserved }) => reserved),
        [dollars(0.3)]
      )
    })
  )
})

describe("windows of runs", () => {
  book(
    "go when their runs have ended, and not before",
    Effect.gen(function* () {
      const { store, begin, end, windows } = yield* bookkeeping([{ name: "run", window: "run", usd: 1 }])
      const [first, second] = [openRun("one", noon), openRun("two", noon)]
      yield* begin(first)
      yield* begin(second)
      yield* end(first, [])
      yield* store.transact(removeRuns(store))
      assert.deepStrictEqual(
        (yield* windows).map(({ subject }) => subject),
        ["two"]
      )
    })
  )
})

describe("whose spending counts", () => {
  book(
    "of a user, a project and a session, each by itself; without one, not at all",
    Effect.gen(function* () {
      const budgets = (["user", "project", "session"] as const).map(
        (per): Budget => ({ name: per, per, window: "total", usd: 1, reserve: 0.4 })
      )
      const { begin, end, windows } = yield* bookkeeping(budgets)
      const run = openRun("one", noon, { user: "ada" })
      const { opened } = yield* begin(run)
      assert.deepStrictEqual(
        (yield* windows).map(({ budget, subject }) => [budget, subject]),
        [
          ["project", "/work"],
          ["user", "ada"]
        ]
      )
      yield* opened("s1")
      yield* end(run, [entryOfRun(run, noon, { micros: dollars(0.7), sessionId: "s1", user: "ada" })])
      assert.deepStrictEqual(
        (yield* windows).map(({ subject, spent, reserved }) => [subject, spent, reserved]),
        [
          ["/work", dollars(0.7), 0],
          ["claude/s1", dollars(0.7), 0],
          ["ada", dollars(0.7), 0]
        ]
      )
      const elsewhere = { project: "/other" }
      const again = yield* Effect.flip(begin(openRun("two", noon, { ...elsewhere, sessionId: "s1" })))
      assert.strictEqual(again._tag === "BudgetExceeded" ? again.budget : "", "session")
      const forked = yield* begin(openRun("three", noon, elsewhere))
      yield* forked.opened("s2")
      const switched = yield* Effect.flip(forked.opened("s1"))
      assert.strictEqual(switched._tag === "BudgetExceeded" ? switched.budget : "", "session")
    })
  )

  book(
    "of a session that becomes known after the end of its run: nothing is reserved that nothing would free",
    Effect.gen(function* () {
      const { begin, end, windows } = yield* bookkeeping([
        { name: "session", per: "session", window: "total", usd: 1, reserve: 0.4 }
      ])
      const run = openRun("one", noon)
      const { opened } = yield* begin(run)
      yield* end(run, [entryOfRun(run, noon, { micros: dollars(0.3), sessionId: "s1" })])
      yield* opened("s1")
      assert.deepStrictEqual(yield* windows, [])
      const next = openRun("two", noon)
      const open = yield* begin(next)
      yield* open.opened("s1")
      assert.deepStrictEqual(
        (yield* windows).map(({ spent, reserved }) => [spent, reserved]),
        [[dollars(0.3), dollars(0.4)]]
      )
    })
  )

  book(
    "names of any length and in any script",
    Effect.gen(function* () {
      const { begin, end, windows } = yield* bookkeeping([{ name: "p", per: "project", window: "total", usd: 1 }])
      const run = openRun("one", noon, { project: "ſ'%_\\💸".repeat(100) })
      yield* begin(run)
      yield* end(run, [entryOfRun(run, noon, { micros: 5 })])
      const [window] = yield* windows
      assert.deepInclude(window, { spent: 5, reserved: 0 })
      assert.isBelow(window?.subject.length ?? 0, 100)
    })
  )

  book(
    "what was spent before the budget was named, in the way of paying that counts",
    Effect.gen(function* () {
      const { begin: beginBefore, end } = yield* bookkeeping([])
      for (const [id, billing, at] of [
        ["a", "api", noon],
        ["b", "subscription", noon],
        ["c", "api", midnight - 1],
        ["d", "api", midnight],
        ["e", "unknown", noon]
      ] as const) {
        const run = openRun(id, at, { billing })
        yield* beginBefore(run)
        yield* end(run, [entryOfRun(run, at, { micros: 1000 })])
      }
      const { begin, windows } = yield* bookkeeping([day, { ...day, name: "plan", billing: ["subscription"] }])
      yield* begin(openRun("now", noon))
      assert.deepStrictEqual(
        (yield* windows).map(({ budget, spent }) => [budget, spent]),
        [
          ["day", 3000],
          ["plan", 1000]
        ]
      )
    })
  )

  book(
    "a run without a known cost counts what was reserved, or nothing",
    Effect.gen(function* () {
      const { begin, end, windows } = yield* bookkeeping([day, { ...day, name: "lax", unpriced: "ignore" }])
      const run = openRun("one", noon)
      const { assumed } = yield* begin(run)
      yield* end(run, [entryOfRun(run, noon, { assumed, source: "none" })])
      assert.deepStrictEqual(
        (yield* windows).map(({ spent }) => spent),
        [dollars(0.3), 0]
      )
    })
  )
})

describe("a clock", () => {
  book(
    "that passes midnight: a run counts to the day of its end, its reservation to that of its start",
    Effect.gen(function* () {
      const { begin, end, windows } = yield* bookkeeping([day])
      const run = openRun("one", midnight - 1)
      yield* begin(run)
      yield* begin(openRun("two", midnight))
      yield* end(run, [entryOfRun(run, midnight + 5, { micros: 7 })])
      assert.deepStrictEqual(
        (yield* windows).map(({ spent, reserved }) => [spent, reserved]),
        [
          [0, 0],
          [7, dollars(0.3)]
        ]
      )
    })
  )

  book(
    "at midnight: the last millisecond is of the day before, the first of the next",
    Effect.gen(function* () {
      const { begin, end, windows } = yield* bookkeeping([day])
      for (const [id, start, at] of [
        ["a", midnight - 1, midnight - 1],
        ["b", midnight, midnight],
        ["c", noon, midnight - 1],
        ["d", noon, midnight]
      ] as const) {
        yield* begin(openRun(id, start))
        yield* end(openRun(id, start), [entryOfRun(openRun(id, start), at, { micros: id === "d" ? 100 : 1 })])
      }
      assert.deepStrictEqual(
        (yield* windows).map(({ spent }) => spent),
        [2, 101]
      )
    })
  )

  book(
    "that is set back a day frees nothing, loses nothing, and is never below 0",
    Effect.gen(function* () {
      const { begin, end, windows } = yield* bookkeeping([day, { ...day, name: "total", window: "total" }])
      const [first, second] = [openRun("one", midnight), openRun("two", midnight)]
      yield* begin(first)
      yield* begin(second)
      yield* end(first, [entryOfRun(first, midnight - 5, { micros: dollars(0.2) })])
      yield* begin(openRun("three", noon))
      assert.deepStrictEqual(yield* windows, [
        { budget: "day", subject: "", spent: dollars(0.2), reserved: dollars(0.3) },
        { budget: "day", subject: "", spent: 0, reserved: dollars(0.3) },
        { budget: "total", subject: "", spent: dollars(0.2), reserved: dollars(0.6) }
      ])
    })
  )
})

describe("the levels", () => {
  book(
    "are told once for each window, the highest alone",
    Effect.gen(function* () {
      const { begin, end, notices } = yield* bookkeeping([{ name: "levels", window: "day", usd: 1, reserve: 0.01 }])
      const run = openRun("one", noon)
      const { raise } = yield* begin(run)
      for (const usd of [0.49, 0.5, 0.69, 0.7, 0.75, 1]) {
        yield* raise({ micros: dollars(usd), usage: {}, turns: undefined })
      }
      yield* end(run, [entryOfRun(run, noon, { micros: dollars(1) })])
      assert.deepStrictEqual(
        notices.map(({ data }) => [data?.["level"], data?.["spent"]]),
        [
          ["info", 0.5],
          ["warning", 0.7],
          ["exceeded", 1]
        ]
      )
      assert.deepStrictEqual(notices[1], {
        kind: "budget",
        message: 'The budget "levels": $0.70 of $1.00 spent, 70 %',
        data: { budget: "levels", level: "warning", unit: "usd", spent: 0.7, limit: 1, freeAt: midnight }
      })
    })
  )
})
