/** The sessions of a store, without an agent. The parts are loaded with the layer. */
import { Context, Effect, Layer } from "effect"
import { clis } from "../cli/clis.ts"
import type { History } from "./history/History.ts"
import type { OpenStore } from "./store/OpenStore.ts"
import { Store } from "./store/Store.ts"

/** The history of an open store and of this machine's CLIs. */
export const historyOf = (store: OpenStore): Effect.Effect<History> =>
  Effect.map(
    Effect.promise(() => import("./history/guarded.ts")),
    ({ guardedHistory }) => guardedHistory(store, Object.values(clis))
  )

/** Lists, reads, exports and changes the sessions of a store. No model is asked, and no file of a CLI is changed. */
export class SessionHistory extends Context.Service<SessionHistory, History>()("reins/SessionHistory") {
  /** Over the store of the context, and the CLIs of this machine. */
  static readonly layer: Layer.Layer<SessionHistory, never, Store> = Layer.effect(
    SessionHistory,
    Effect.flatMap(Store, historyOf)
  )
}
