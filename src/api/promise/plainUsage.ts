/** The ledger of a store as promises and AsyncIterables; what it needs is loaded with the first call. */
import { Effect, Stream } from "effect"
import type { Budget } from "../../contract/Budget.ts"
import { rejectingAtCall } from "../../contract/errors/callSite.ts"
import type { PlainStore } from "../../contract/PlainStore.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { UsageFilter, UsageQuery } from "../../contract/Usage.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { iterable } from "./iterable.ts"

export const plainUsage = (
  store: Effect.Effect<OpenStore, StoreError>,
  run: <A>(effect: Effect.Effect<A, StoreError>) => Promise<A>
): Pick<PlainStore, "usage" | "entries" | "budgets"> => {
  const reports = Effect.flatMap(store, (opened) =>
    Effect.map(
      Effect.promise(() => import("../../money/ledger/makeLedger.ts")),
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
