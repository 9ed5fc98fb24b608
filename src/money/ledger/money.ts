/**
 * The budget operations of the ledger's gate. A run or turn reserves before it starts and raises as it spends; its
 * reservation is closed in the transaction that writes its entries.
 */
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentUsage } from "../../contract/AgentRunResult.ts"
import type { GateStart } from "../../contract/Start.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { OpenRun } from "./rows.ts"

/** Spending of a run so far. */
export interface Spent {
  /** Millionths of a US dollar; undefined: unknown. */
  readonly micros: number | undefined
  readonly usage: AgentUsage
  /** Model turns so far; undefined: unknown. */
  readonly turns: number | undefined
}

/** The reservation of a run or turn. */
export interface Reservation {
  /** The rest of the tightest budget that stops runs, in US dollars: for CLIs that end a run by themselves. */
  readonly maxBudgetUsd?: number
  /**
   * The micros that budgets with `unpriced: "count-reserve"` count for it if its cost is unknown. Written into its entry
   * (`assumed`), never into sums of reports.
   */
  readonly assumed: number
  /** The session became known: budgets of sessions count from now on. */
  readonly opened: (sessionId: string) => Effect.Effect<void, FailureReason>
  /** Raises what is reserved where the run has spent more; a failure stops the run. */
  readonly raise: (spent: Spent) => Effect.Effect<void, FailureReason>
  /** Called after its entries were written, or kept for later. */
  readonly closed: Effect.Effect<void>
}

export interface Money {
  /** There is at least one budget: a start waits for the store, and fails without it. */
  readonly isNeeded: boolean
  /**
   * Part of the transaction that writes the row of the run, which may run several times. Fails with `BudgetExceeded`.
   * `maxBudgetUsd`: of the caller.
   */
  readonly reserve: (
    run: OpenRun,
    maxBudgetUsd: number | undefined,
    notify: GateStart["notice"]
  ) => Effect.Effect<Reservation, FailureReason | StoreError | SqlError.SqlError, Scope.Scope>
}

const nothingReserved: Reservation = {
  assumed: 0,
  opened: () => Effect.void,
  raise: () => Effect.void,
  closed: Effect.void
}

/** A ledger without budgets. */
export const noBudgets: Money = { isNeeded: false, reserve: () => Effect.succeed(nothingReserved) }
