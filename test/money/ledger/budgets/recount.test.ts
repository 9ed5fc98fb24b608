/** Runs around midnight and the changes of clocks, in zones from −11 to +14: the sums are what a naive recount gives. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { countIn, textIn } from "../../../../src/conversations/store/columns.ts"
import { Store } from "../../../../src/conversations/store/Store.ts"
import { bookkeeping, entryOfRun, openRun } from "./kit.ts"

/** Midnights of each zone, before and after which its clocks change, or nothing does. */
const midnights = {
  "Pacific/Pago_Pago": ["2026-03-01T11:00Z", "2026-07-14T11:00Z"],
  "America/Los_Angeles": ["2026-03-08T08:00Z", "2026-03-09T07:00Z", "2026-11-01T07:00Z", "2026-11-02T08:00Z"],
  "Europe/Berlin": ["2026-03-28T23:00Z", "2026-03-29T22:00Z", "2026-10-24T22:00Z", "2026-10-31T23:00Z"],
  "Africa/Cairo": ["2026-04-23T22:00Z", "2026-04-24T21:00Z", "2026-10-29T21:00Z", "2026-10-30T22:00Z"],
  "Australia/Lord_Howe": ["2026-04-04T13:00Z", "2026-04-05T13:30Z", "2026-10-03T13:30Z"],
  "Pacific/Kiritimati": ["2025-12-31T10:00Z", "2026-06-30T10:00Z"]
} as const
const zones = Object.keys(midnights) as ReadonlyArray<keyof typeof midnights> // of the table above

const hour = 3_600_000
const Run = Schema.Struct({
  /** From the midnight; most are near to it. */
  startMs: Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: -2, maximum: 2 })),
    Schema.Int.check(Schema.isBetween({ minimum: -26 * hour, maximum: 26 * hour }))
  ]),
  lastsMs: Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 * hour }))
  ]),
  micros: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 })),
  isOpen: Schema.Boolean
})

const Case = {
  zone: Schema.Literals(zones),
  midnight: Schema.Natural,
  runs: Schema.Array(Run).check(Schema.isBetweenLength(1, 12)),
  /** How many are there before a budget is named. */
  before: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))
}

const visible = (at: number, zone: string, length: number) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(at).slice(0, length)

/** Readings of a clock, to the length of a day, of a month, or of nothing. */
const lengths = { day: 10, month: 7, total: 0 } as const

const add = (sums: Map<string, number>, key: string, amount: number) => sums.set(key, (sums.get(key) ?? 0) + amount)

describe("days and months", () => {
  it.effect.prop(
    "are what a naive recount gives",
    Case,
    ({ zone, midnight, runs, before }) =>
      Effect.gen(function* () {
        const budgets = (["day", "month", "total"] as const).map((window) => ({
          name: window,
          window,
          usd: 100,
          reserve: 1
        }))
        const [unnamed, named] = [yield* bookkeeping([], zone), yield* bookkeeping(budgets, zone)]
        const [spent, reserved] = [new Map<string, number>(), new Map<string, number>()]
        for (const [index, { startMs, lastsMs, micros, isOpen }] of runs.entries()) {
          const { [zone]: known } = midnights
          const start = Date.parse(known[midnight % known.length] ?? "") + startMs
          const run = openRun(`r${index}`, start)
          const { begin, end } = index < before ? unnamed : named
          yield* begin(run)
          const isClosed = !isOpen || index < before
          if (isClosed) yield* end(run, [entryOfRun(run, start + lastsMs, { micros })])
          for (const { name } of budgets) {
            if (isClosed) add(spent, `${name} ${visible(start + lastsMs, zone, lengths[name])}`, micros)
            else add(reserved, `${name} ${visible(start, zone, lengths[name])}`, 1_000_000)
          }
        }
        const { read, sql } = named.store
        for (const row of yield* read(sql<object>`select * from budget_windows`)) {
          const name = textIn(row, "budget")
          if (name !== "day" && name !== "month" && name !== "total") return assert.fail(`a budget ${name}`)
          const key = `${name} ${visible(countIn(row, "starts") ?? 0, zone, lengths[name])}`
          assert.deepStrictEqual(
            [key, countIn(row, "spent"), countIn(row, "reserved")],
            [key, spent.get(key) ?? 0, reserved.get(key) ?? 0]
          )
          reserved.delete(key)
        }
        assert.deepStrictEqual([...reserved], [])
      }).pipe(Effect.provide(Layer.fresh(Store.layerMemory()))),
    { arbitrary: { runs: 40 } }
  )
})
