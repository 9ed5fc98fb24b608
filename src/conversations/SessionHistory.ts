/** The sessions of a store, without an agent. The parts are loaded with the layer. */
import { Context, Effect, Layer, Option } from "effect"
import { clis } from "../cli/clis.ts"
import type { History } from "./history/History.ts"
import type { OpenStore } from "./store/OpenStore.ts"
import { Store } from "./store/Store.ts"
import { Worktrees } from "./Worktrees.ts"
import type { WorktreeOperations } from "./worktrees/WorktreeOperations.ts"

/** The history of an open store and of this machine's CLIs. */
export const historyOf = (store: OpenStore, worktrees?: Pick<WorktreeOperations, "remove">): Effect.Effect<History> =>
  Effect.map(
    Effect.promise(() => import("./history/guarded.ts")),
    ({ guardedHistory }) => guardedHistory(store, Object.values(clis), worktrees)
  )

/** Lists, reads, exports and changes the sessions of a store. No model is asked, and no file of a CLI is changed. */
export class SessionHistory extends Context.Service<SessionHistory, History>()("reins/SessionHistory") {
  /** Over the store of the context, and the CLIs of this machine. With `Worktrees` in it, archiving removes worktrees, too. */
  static readonly layer: Layer.Layer<SessionHistory, never, Store> = Layer.effect(
    SessionHistory,
    Effect.gen(function* () {
      return yield* historyOf(yield* Store, Option.getOrUndefined(yield* Effect.serviceOption(Worktrees)))
    })
  )
}
