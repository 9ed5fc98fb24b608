/**
 * The sessions of a store, without an agent: which there are, what was said in them, and what becomes of them. Loaded with
 * its layer.
 */
import { Context, Effect, Layer } from "effect"
import { clis } from "./cli/clis.ts"
import type { History } from "./sessions/history/makeHistory.ts"
import { Store } from "./store/Store.ts"

const load = Effect.promise(() => import("./sessions/history/makeHistory.ts"))

/** Lists, reads, exports and changes the sessions of a store; no model is asked. */
export class SessionHistory extends Context.Service<SessionHistory, History>()("reins/SessionHistory") {
  /** Over the store of the context, and the CLIs of this machine. */
  static readonly layer: Layer.Layer<SessionHistory, never, Store> = Layer.effect(
    SessionHistory,
    Effect.gen(function* () {
      const store = yield* Store
      const { makeHistory } = yield* load
      return makeHistory({
        store,
        clis: Object.values(clis),
        whoHolds: () => Effect.succeed(undefined),
        holdSession: () => Effect.void,
        holdConversation: () => Effect.void
      })
    })
  )
}
