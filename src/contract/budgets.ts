/** The Schema of the budgets of a caller; their types are in `types/Budget.ts`. */
import { Schema } from "effect"
import type * as Types from "./Budget.ts"

/** A trillion, in whatever unit: more is no limit, and a database could not add it up. */
const most = 1e12

const amount = (expected: string, isAmount: (given: number) => boolean) =>
  Schema.Number.check(Schema.makeFilter(isAmount, { expected }))

const Whole = amount("a whole number above 0", (given) => Number.isInteger(given) && given >= 1 && given <= most)

/** A millionth is the smallest amount that is kept. */
const Dollars = amount("US dollars, at least 0.000001", (given) => given >= 1e-6 && given <= most / 1e3)

const Share = amount("a share of the limit, above 0 and at most 1, such as 0.7", (given) => given > 0 && given <= 1)

const Reserve = amount("an amount above 0", (given) => given >= 1e-6 && given <= most)

const Name = Schema.String.check(
  Schema.makeFilter((name) => /^[^\p{Cc}\p{Cf}]{1,64}$/u.test(name), {
    expected: "a text of 1 to 64 characters, without control characters"
  })
)

export const Budget = Schema.Struct({
  name: Name,
  per: Schema.optional(Schema.Literals(["all", "user", "project", "session", "run"])),
  window: Schema.Literals(["run", "day", "month", "total"]),
  usd: Schema.optional(Dollars),
  tokens: Schema.optional(Whole),
  turns: Schema.optional(Whole),
  warnAt: Schema.optional(Share),
  reserve: Schema.optional(Reserve),
  onExceeded: Schema.optional(Schema.Literals(["refuse", "stop"])),
  unpriced: Schema.optional(Schema.Literals(["count-reserve", "ignore"])),
  billing: Schema.optional(Schema.Array(Schema.Literals(["api", "subscription", "unknown"])))
})
export type Budget = Types.Budget
