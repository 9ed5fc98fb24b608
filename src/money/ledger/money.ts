/** The budget operations of the ledger's gate. The transaction that writes the entries also closes the reservation. */
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentUsage } from "../../contract/AgentRunResult.ts"
import type { GateStart } from "../../contract/Start.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { OpenRun } from "./rows.ts"

export interface Spent {
  /** Millionths of a US dollar; undefined: unknown. */
  readonly micros: number | undefined
  readonly usage: AgentUsage
  /** Model turns so far; undefined: unknown. */
  readonly turns: number | undefined
}

export interface Reservation {
  /** The rest of the tightest budget that stops runs, in US dollars: for CLIs that end a run by themselves. */
  readonly maxBudgetUsd?: number
  /** Micros that budgets with `unpriced: "count-reserve"` count if the cost is unknown; not in reports. */
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
  /** In the transaction that writes the row, which may run several times. Fails with `BudgetExceeded`. */
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

export const noBudgets: Money = { isNeeded: false, reserve: () => Effect.succeed(nothingReserved) }
