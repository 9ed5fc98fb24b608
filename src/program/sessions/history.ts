/** The history of the configured store, for a command. */
import { Effect, Layer } from "effect"
import type { ConfigurationError } from "../../contract/ConfigurationError.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { SessionHistory } from "../../conversations/SessionHistory.ts"
import type { Store } from "../../conversations/store/Store.ts"
import { printingFailures, readStoreConfig, type StoreFlags } from "../database.ts"
import type { Ended } from "../exit.ts"
import { configuredStore } from "../store.ts"

export const withHistory = <A, R>(
  flags: StoreFlags,
  work: Effect.Effect<A, StoreError | ConfigurationError | Ended, R | SessionHistory | Store>
): Effect.Effect<A, Ended, Exclude<R, SessionHistory | Store>> =>
  Effect.flatMap(readStoreConfig(flags), (configuration) =>
    Effect.provide(work, Layer.provideMerge(SessionHistory.layer, configuredStore(configuration)))
  ).pipe(printingFailures)
