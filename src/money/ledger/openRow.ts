/** The row of a run, and what it reserves, in one transaction before it is started. */
import { Effect, Option, type Scope } from "effect"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { GateStart } from "../../contract/Start.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { NameLocks } from "../../conversations/store/nameLocks.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { storeFailure } from "../../conversations/store/storeFailure.ts"
import type { Pricing } from "../prices/pricing.ts"
import { closeLost } from "./lost.ts"
import { type Money, noBudgets, type Reservation } from "./money.ts"
import { processOf } from "./processes.ts"
import { insertOpen, type OpenRun } from "./rows.ts"
import { postOrSpill } from "./spill.ts"

export interface OpeningOptions {
  readonly store: OpenStore
  readonly locks: NameLocks
  readonly money: Money
  readonly pricing: Pricing
}

/** Less than anybody waits for a start that needs nothing of the store. */
const patience = "800 millis"

const asReason = (error: FailureReason | StoreError): FailureReason =>
  error._tag === "StoreError" ? storeFailure(error) : error

/** Undefined: the store cannot take it now, and no budget asks for it. */
export const openRow = (
  { store, locks, money, pricing }: OpeningOptions,
  run: OpenRun,
  start: GateStart
): Effect.Effect<Reservation | undefined, FailureReason, Scope.Scope> => {
  // A live session spends with its turns.
  const reserving = run.kind === "session" ? noBudgets : money
  const attempt = store.transact(
    Effect.gen(function* () {
      const reservation = yield* reserving.reserve(run, processOf(start).params.maxBudgetUsd, start.notice)
      yield* insertOpen(store, run, reservation.assumed)
      return reservation
    })
  )
  if (money.isNeeded) {
    // What the dead have reserved is free.
    const again = (reason: FailureReason) =>
      Effect.flatMap(closeLost(store, locks, pricing), (closed) =>
        closed > 0 ? Effect.mapError(attempt, asReason) : Effect.fail(reason)
      )
    return Effect.catch(Effect.mapError(attempt, asReason), again)
  }
  return Effect.timeoutOption(Effect.mapError(attempt, asReason), patience).pipe(
    Effect.map(Option.getOrUndefined),
    Effect.catch((error) =>
      Effect.as(Effect.logWarning(`a run is written to the ledger with its end alone: ${error.message}`), undefined)
    )
  )
}

/** Nothing was started, or nothing is left to be written: it leaves no entry. What the store cannot do now is done later. */
export const closeRow = (store: OpenStore, id: string): Effect.Effect<void> =>
  Effect.asVoid(postOrSpill(store, { id, entries: [] }))
