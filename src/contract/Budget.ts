/** Budgets: what a user may name, how one stands, and the levels that are told of. */

/** Whose spending one sum is: of one run, of a session, a project or a user, or of everything in the store. */
export type BudgetPer = "all" | "user" | "project" | "session" | "run"

/** For how long one sum counts: a run, a day or a month of the zone, or for ever. */
export type BudgetWindow = "run" | "day" | "month" | "total"

/** What is counted: US dollars, tokens (input, output and cached ones), or turns of the model. */
export type BudgetUnit = "usd" | "tokens" | "turns"

/** Half is spent, the share `warnAt`, 90 %, or all of it. */
export type BudgetLevel = "info" | "warning" | "critical" | "exceeded"

/** A limit of what runs may spend: exactly one of `usd`, `tokens` and `turns`. */
export interface Budget {
  /** Its name in messages, 1 to 64 characters, unlike that of the others: `day`. */
  readonly name: string
  /** Whose spending counts together. `session`, `project` and `user` have a sum each. Default: `all`, of a run `run`. */
  readonly per?: BudgetPer | undefined
  /** For how long. A run counts to the window in which it ends, its reservation to that in which it starts. */
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
   * What is reserved for each run before it starts, in the unit of the limit. Default: its `maxBudgetUsd`, else what nine
   * of ten of the last 20 runs of its model needed, else 0.50 US dollars, 100,000 tokens or 10 turns, but never more than
   * the limit.
   */
  readonly reserve?: number | undefined
  /**
   * What happens to a run that needs more than there is: `stop` ends it as soon as its CLI reports so much, `refuse` lets
   * it go on, and refuses later ones. Default: `refuse`; of a `run` `stop`.
   */
  readonly onExceeded?: "refuse" | "stop" | undefined
  /**
   * Runs whose cost is not known, of a budget in US dollars: `count-reserve` counts what was reserved for them, `ignore`
   * nothing. Default: `count-reserve`.
   */
  readonly unpriced?: "count-reserve" | "ignore" | undefined
  /**
   * The ways of paying that count: by API key, by subscription (whose cost is what the API would take), or not reported.
   * Default: `["api", "unknown"]` for US dollars, else all.
   */
  readonly billing?: ReadonlyArray<"api" | "subscription" | "unknown"> | undefined
}

/** Who pays for a run: which budgets `per` project or user it counts to. */
export interface BudgetAccount {
  /** Default: the working directory. */
  readonly project?: string | undefined
  /** Default: none: budgets per user do not count it. */
  readonly user?: string | undefined
}

/** One window of a budget as it stands. */
export interface BudgetState {
  /** The name of the budget. */
  readonly budget: string
  /** Whose spending counts together. */
  readonly per: BudgetPer
  /** Which session, project or user; undefined where the budget is for all. */
  readonly subject?: string
  /** For how long. */
  readonly window: BudgetWindow
  /** The unit of all amounts. */
  readonly unit: BudgetUnit
  /** The most that may be spent. */
  readonly limit: number
  /** What ended runs have spent, and those of the present window. */
  readonly spent: number
  /** What runs that have not ended may still spend. */
  readonly reserved: number
  /** The highest level that is reached. */
  readonly level?: BudgetLevel
  /** When the window began, in ms since 1970; undefined for a total. */
  readonly startsAt?: number
  /** When the next one begins, in ms since 1970; undefined for a total. */
  readonly endsAt?: number
}

/** Facts of a `budget` notice: its `data`. */
export interface BudgetNotice {
  /** The name of the budget. */
  readonly budget: string
  /** The level that is reached. */
  readonly level: BudgetLevel
  /** The unit of both amounts. */
  readonly unit: BudgetUnit
  /** What is spent, with this run. */
  readonly spent: number
  /** The most that may be spent. */
  readonly limit: number
  /** When it is free again, in ms since 1970; undefined for a total. */
  readonly freeAt?: number
}
