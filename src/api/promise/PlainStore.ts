/** The store of the plain door: opened once, for any number of agents. What it needs is loaded when it is opened. */
import { Cause, Context, Effect, Exit, Layer, ManagedRuntime } from "effect"
import { StoreUnavailable } from "../../contract/AgentError.ts"
import { rejectingAtCall } from "../../contract/errors/callSite.ts"
import type { OpenStoreOptions, PlainStore } from "../../contract/PlainStore.ts"
import { StoreError } from "../../contract/StoreError.ts"
import { Store } from "../../conversations/store/Store.ts"
import { openStores } from "./openStores.ts"
import { plainSessions } from "./plainSessions.ts"
import { plainUsage } from "./plainUsage.ts"
import { storeLayerOf } from "./storeLayer.ts"
import { warnings } from "./warnings.ts"

const closed = () => new StoreError({ reason: new StoreUnavailable({ problem: "it is closed" }) })

const opening = async (options: OpenStoreOptions = {}): Promise<PlainStore> => {
  const runtime = ManagedRuntime.make(Layer.provide(storeLayerOf(options), warnings))
  const exit = await Effect.runPromiseExit(runtime.contextEffect)
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  const opened = Context.get(exit.value, Store)
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= Effect.runPromise(runtime.disposeEffect)
    return closing
  }
  const open = Effect.suspend(() => (closing === undefined ? Effect.succeed(opened) : Effect.fail(closed())))
  const run = <A>(effect: Effect.Effect<A, StoreError>) =>
    closing ? Promise.reject(closed()) : runtime.runPromise(effect)
  const store: PlainStore = {
    kind: opened.kind,
    place: opened.place,
    sessions: plainSessions(open, run),
    ...plainUsage(open, run),
    close,
    [Symbol.asyncDispose]: close
  }
  openStores.set(store, opened)
  return store
}

/** Opens the store, or makes it. Rejects with `StoreError`. */
export const openStore: (options?: OpenStoreOptions) => Promise<PlainStore> = rejectingAtCall(opening)
