/** The ledger of a store as promises and AsyncIterables; what it needs is loaded with the first call. */
import { Effect, Stream } from "effect"
import type { StoreError } from "../contract/StoreError.ts"
import { rejectingAtCall } from "../errors/callSite.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import type { Budget } from "../types/Budget.ts"
import type { PlainStore } from "../types/PlainStore.ts"
import type { UsageFilter, UsageQuery } from "../types/Usage.ts"
import { iterable } from "./iterable.ts"

export const plainUsage = (
  store: Effect.Effect<OpenStore, StoreError>,
  run: <A>(effect: Effect.Effect<A, StoreError>) => Promise<A>
): Pick<PlainStore, "usage" | "entries" | "budgets"> => {
  const reports = Effect.flatMap(store, (opened) =>
    Effect.map(
      Effect.promise(() => import("../ledger/makeLedger.ts")),
      ({ makeReports }) => makeReports(opened)
    )
  )
  return {
    usage: rejectingAtCall((query?: UsageQuery) => run(Effect.flatMap(reports, ({ usage }) => usage(query)))),
    budgets: rejectingAtCall((given: ReadonlyArray<Budget>, options?: { readonly zone?: string | undefined }) =>
      run(Effect.flatMap(reports, ({ budgets }) => budgets(given, options)))
    ),
    entries: (filter?: UsageFilter) =>
      iterable(Stream.orDie(Stream.unwrap(Effect.map(reports, ({ entries }) => entries(filter)))))
  }
}
