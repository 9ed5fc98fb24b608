/** Reports: sums by day, month and name, on each kind of store, as a recount of the entries has them; and their questions. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import type { UsageBy, UsageQuery } from "../../../src/contract/Usage.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeReports } from "../../../src/money/ledger/makeLedger.ts"
import { post } from "../../../src/money/ledger/post.ts"
import type { Entry } from "../../../src/money/ledger/rows.ts"
import { openIn, storeKinds } from "../../conversations/store/stores.ts"
import { runs } from "../../kit/runs.ts"
import { entry } from "./kit.ts"

const hour = 3_600_000

/** The date that a zone's clock shows, found another way than the report does. */
const dateIn = (zone: string, at: number) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }).format(at)

const Zones = Schema.Literals([
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
  "Europe/Berlin",
  "Asia/Kathmandu",
  "America/St_Johns",
  "UTC"
])
const Count = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })))
const Use = Schema.Struct({
  // Both changes of the clocks of 2026 are in it.
  at: Schema.Int.check(Schema.isBetween({ minimum: Date.UTC(2026, 1, 1), maximum: Date.UTC(2026, 11, 1) })),
  run: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
  model: Schema.NullOr(Schema.Literals(["large", "small"])),
  micros: Count,
  input: Count
})

const keyOf = (by: UsageBy, zone: string, { at, model }: Entry): string | undefined => {
  if (by === "model") return model ?? undefined
  return dateIn(zone, at).slice(0, by === "day" ? 10 : 7)
}

describe.each(storeKinds)("on $name", ({ name, place }) => {
  it.effect.prop(
    "rows and their total are what a recount of the entries gives",
    [Schema.Array(Use).check(Schema.isMaxLength(12)), Zones, Schema.Literals(["day", "month", "model"])],
    ([uses, zone, by]) =>
      Effect.gen(function* () {
        const store = yield* openIn(yield* place)
        // All entries of a run have the same time.
        const entries = uses.map(({ at, run, ...use }, index) =>
          entry({ ...use, id: String(index), at: at + run, runId: `r${at + run}` })
        )
        yield* post(store, { id: "x", entries })
        const report = yield* makeReports(store).usage({ by, zone })
        const groups = Map.groupBy(entries, (each) => keyOf(by, zone, each))
        const micros = (all: ReadonlyArray<Entry>) => all.reduce((sum, each) => sum + (each.micros ?? 0), 0)
        const runsOf = (all: ReadonlyArray<Entry>) => new Set(all.map(({ runId }) => runId)).size
        const unpriced = (all: ReadonlyArray<Entry>) => all.filter((each) => each.micros === null)
        const facts = (key: string | undefined, all: ReadonlyArray<Entry>) => [
          key,
          micros(all),
          runsOf(all),
          runsOf(unpriced(all)),
          unpriced(all).reduce((sum, { input }) => sum + (input ?? 0), 0)
        ]
        const expected = [...groups].map(([key, all]) => facts(key, all))
        const found = report.rows.map((row) => [row.key, row.micros, row.runs, row.unpriced.runs, row.unpriced.tokens])
        assert.sameDeepMembers(found, expected)
        assert.deepStrictEqual(
          [undefined, report.total.micros, report.total.runs, report.total.unpriced.runs, report.total.unpriced.tokens],
          facts(undefined, entries)
        )
      }).pipe(Effect.scoped),
    runs(name === "memory" ? 60 : 5)
  )
})

const request = (query: unknown) =>
  Effect.gen(function* () {
    const { usage, entries } = makeReports(yield* Store)
    yield* Stream.runDrain(entries())
    return yield* usage(query as UsageQuery) // a caller in JavaScript
  }).pipe(Effect.provide(Store.layerMemory()), Effect.scoped)

describe("a question", () => {
  it.effect.each([
    [{ zone: "Mars/Base" }, 'zone: "Mars/Base" is not a time zone: write one such as Europe/Berlin or UTC'],
    [{ since: "yesterday" }, 'since: "yesterday" is not a time: write 2026-11-23, 2026-11 or 2026-11-23T10:00:00Z'],
    [{ since: "2026-02-30" }, 'since: "2026-02-30" is not a time: write 2026-11-23, 2026-11 or 2026-11-23T10:00:00Z'],
    [{ until: new Date(Number.NaN) }, /^until: /],
    [{ until: 1e300 }, "until: is not a time: give ms since 1970 or a Date"],
    [{ by: "week" }, /^by: .*"day".*"month"/],
    [{ bye: "day" }, /^bye: is not a known field; did you mean by\?|^bye: is not a known field/],
    [{ cli: "" }, /^cli: /],
    ["day", /is not an object/]
  ] as const)("that cannot be answered says why: %j", ([query, message]) =>
    Effect.gen(function* () {
      const { reason } = yield* Effect.flip(request(query))
      assert.strictEqual(reason._tag, "InvalidParams")
      if (typeof message === "string") assert.strictEqual(reason.message, message)
      else assert.match(reason.message, message)
    })
  )

  it.effect("is of entries from a moment on, in the zone, and of those that match", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const midnight = Date.UTC(2026, 10, 23) - hour // in Berlin
      const entries = [-1, 0, 1].map((ms) => entry({ id: `e${ms}`, at: midnight + ms, runId: `r${ms}`, micros: 1 }))
      const ada = entry({ id: "a", at: midnight + 5, runId: "ra", user: "ada", project: "o'neil", micros: 7 })
      yield* post(store, { id: "x", entries: [...entries, ada] })
      const { usage, entries: list } = makeReports(store)
      const zone = "Europe/Berlin"
      assert.strictEqual((yield* usage({ since: "2026-11-23", zone })).total.micros, 9)
      assert.strictEqual((yield* usage({ until: "2026-11-23", zone })).total.micros, 1)
      assert.strictEqual((yield* usage({ since: "2026-11", zone })).total.micros, 10)
      assert.strictEqual((yield* usage({ since: "2026-11-22T23:00:00.001Z" })).total.micros, 8)
      assert.strictEqual((yield* usage({ user: "ada", project: "o'neil" })).total.micros, 7)
      const ids = yield* Stream.runCollect(Stream.map(list({ since: midnight }), ({ id }) => id))
      assert.deepStrictEqual(ids, ["e0", "e1", "a"])
    }).pipe(Effect.provide(Store.layerMemory()), Effect.scoped)
  )

  it.effect("for entries gives all of them, page by page, in order", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const ids = Array.from({ length: 1_203 }, (_, index) => String(index).padStart(5, "0"))
      const entries = ids.map((id, index) => entry({ id, runId: id, at: Math.floor(index / 700) }))
      yield* post(store, { id: "x", entries })
      const found = yield* Stream.runCollect(makeReports(store).entries())
      assert.deepStrictEqual(
        found.map(({ id }) => id),
        ids
      )
    }).pipe(Effect.provide(Store.layerMemory()), Effect.scoped)
  )
})
