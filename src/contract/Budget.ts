/** Budgets: their definition by a user, their state, and the levels at which a notice is given. */
import { Schema } from "effect"
import { schemaOf } from "./schemaOf.ts"

/** The owner of one sum of spending: a run, a session, a project, a user, or everything in the store. */
export type BudgetPer = "all" | "user" | "project" | "session" | "run"

/** The time of one sum: a run, a day or a month of the zone, or for ever. */
export type BudgetWindow = "run" | "day" | "month" | "total"

/** Units: US dollars, tokens (input, output and cached ones), or turns of the model. */
export type BudgetUnit = "usd" | "tokens" | "turns"

export const BudgetUnit = schemaOf<BudgetUnit>()(Schema.Literals(["usd", "tokens", "turns"]))

/** `info`: half is spent; `warning`: the share `warnAt`; `critical`: 90 %; `exceeded`: all of it. */
export type BudgetLevel = "info" | "warning" | "critical" | "exceeded"

/** A limit for the spending of runs: exactly one of `usd`, `tokens` and `turns`. */
export interface Budget {
  /** Its unique name in messages, 1 to 64 characters: `day`. */
  readonly name: string
  /** Whose spending is added up. `session`, `project` and `user` have a sum each. Default: `all`, with the window `run` `run`. */
  readonly per?: BudgetPer | undefined
  /** The time of one sum. A run counts for the window in which it ends, its reservation for that in which it starts. */
  readonly window: BudgetWindow
  /** The limit in US dollars, above 0; exact to a millionth. */
  readonly usd?: number | undefined
  /** The limit in tokens, a whole number above 0. */
  readonly tokens?: number | undefined
  /** The limit in turns of the model, a whole number above 0. */
  readonly turns?: number | undefined
  /** The share of the limit from which a `warning` is given, above 0 and at most 1. Default: 0.7. */
  readonly warnAt?: number | undefined
  /**
   * Amount to reserve for each run before it starts. Default: its `maxBudgetUsd`, else the 90th percentile of the last
   * 20 runs of its model, else 0.50 US dollars, 100,000 tokens or 10 turns, but never more than the limit.
   */
  readonly reserve?: number | undefined
  /**
   * `stop` ends a run that needs more, `refuse` refuses later ones. Default: `refuse`; with the window `run` `stop`.
   */
  readonly onExceeded?: "refuse" | "stop" | undefined
  /**
   * Amount counted for runs of unknown cost, in US dollars: their reservation, or nothing. Default: `count-reserve`.
   */
  readonly unpriced?: "count-reserve" | "ignore" | undefined
  /**
   * The ways of paying that count: by API key, by subscription (whose cost is the price of the API), or not reported.
   * Default: `["api", "unknown"]` for US dollars, else all.
   */
  readonly billing?: ReadonlyArray<"api" | "subscription" | "unknown"> | undefined
}

/** More is not a limit, and a database could not add it up. */
const most = 1e12

const amount = (expected: string, isAmount: (value: number) => boolean) =>
  Schema.Number.check(Schema.makeFilter(isAmount, { expected }))

const Whole = amount("a whole number above 0", (value) => Number.isInteger(value) && value >= 1 && value <= most)

const Dollars = amount("US dollars, at least 0.000001", (value) => value >= 1e-6 && value <= most / 1e3)

const Share = amount("a share of the limit, above 0 and at most 1, such as 0.7", (value) => value > 0 && value <= 1)

const Reserve = amount("an amount above 0", (value) => value >= 1e-6 && value <= most)

const Name = Schema.String.check(
  Schema.makeFilter((name) => /^[^\p{Cc}\p{Cf}]{1,64}$/u.test(name), {
    expected: "a text of 1 to 64 characters, without control characters"
  })
)

export const Budget = schemaOf<Budget>()(
  Schema.Struct({
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
)

/** The owner of a run, for budgets `per` project or user. */
export interface BudgetAccount {
  /** Default: the working directory. */
  readonly project?: string | undefined
  /** Default: none, so that budgets per user do not count it. */
  readonly user?: string | undefined
}

/** The state of one window of a budget. */
export interface BudgetState {
  /** The name of the budget. */
  readonly budget: string
  /** Whose spending is added up. */
  readonly per: BudgetPer
  /** The session, project or user; undefined for a budget for all. */
  readonly subject?: string
  /** The time of one sum. */
  readonly window: BudgetWindow
  /** The unit of all amounts. */
  readonly unit: BudgetUnit
  /** The most that may be spent. */
  readonly limit: number
  /** Spending of runs that have ended, in this window. */
  readonly spent: number
  /** Reservations of runs that have not ended. */
  readonly reserved: number
  /** The highest level reached. */
  readonly level?: BudgetLevel
  /** When the window began, in ms since 1970; undefined for a total. */
  readonly startsAt?: number
  /** When the next one begins, in ms since 1970; undefined for a total. */
  readonly endsAt?: number
}

/** Facts of a `budget` notice: its `data`. */
export interface BudgetNotice extends Pick<BudgetState, "budget" | "unit" | "limit"> {
  /** The level reached. */
  readonly level: BudgetLevel
  /** The spending, including this run. */
  readonly spent: number
  /** When it is free again, in ms since 1970; undefined for a total. */
  readonly freeAt?: number
}
