/** Usage and costs of runs and live sessions in a store, recorded by a gate and an observer of this layer. */
import { Context, Effect, Layer, type Stream } from "effect"
import { gatesLayer } from "../agents/engine/Gates.ts"
import { observersLayer } from "../agents/engine/Observer.ts"
import type { Cli } from "../cli/Cli.ts"
import { clis } from "../cli/clis.ts"
import type { BudgetState } from "../contract/Budget.ts"
import type { StoreError } from "../contract/StoreError.ts"
import type { LedgerOptions, UsageEntry, UsageFilter, UsageQuery, UsageReport } from "../contract/Usage.ts"
import { untraced } from "../contract/untraced.ts"
import { Store } from "../conversations/store/Store.ts"

/** The usage of all runs of a store. */
export class Ledger extends Context.Service<
  Ledger,
  {
    /** Adds up the entries that match, in one row for each day unless it names something else. */
    readonly usage: (query?: UsageQuery) => Effect.Effect<UsageReport, StoreError>
    /** The entries that match, the oldest first. */
    readonly entries: (filter?: UsageFilter) => Stream.Stream<UsageEntry, StoreError>
    /** How the `budgets` of the layer stand. One that is not for all has a state for each subject that has used it. */
    readonly budgets: Effect.Effect<ReadonlyArray<BudgetState>, StoreError>
  }
>()("reins/Ledger") {
  /**
   * Over the store of the context. It adds its gate and its observer: the runs of an agent are in the ledger when its layer
   * is given to that of the agent, as in `Claude.layer().pipe(Layer.provide(Ledger.layer()))`.
   */
  static readonly layer = (options: LedgerOptions = {}): Layer.Layer<Ledger, StoreError, Store> =>
    Layer.unwrap(Effect.suspend(() => make(options)))
}

/** Claude Code alone names the source of its credentials. */
const paysByApiKey = (id: string, authSource: string): boolean | undefined => {
  const cli: Cli | undefined = Object.entries(clis).find(([known]) => known === id)?.[1]
  return cli?.paysByApiKey(authSource)
}

const make = Effect.fn(...untraced("Ledger.make"))(function* (options: LedgerOptions) {
  const store = yield* Store
  const { makeLedger } = yield* Effect.promise(() => import("./ledger/makeLedger.ts"))
  const { gate, observer, reports, budgets } = yield* makeLedger(store, options, paysByApiKey)
  return Layer.mergeAll(Layer.succeed(Ledger, { ...reports, budgets }), gatesLayer([gate]), observersLayer([observer]))
})
