/** The history of the configured store, for a command. */
import { Effect, Layer } from "effect"
import type { ConfigurationError } from "../../contract/ConfigurationError.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { SessionHistory } from "../../conversations/SessionHistory.ts"
import type { Store } from "../../conversations/store/Store.ts"
import { Worktrees } from "../../conversations/Worktrees.ts"
import type { Platform } from "../../system/process/Platform.ts"
import { printingFailures, readStoreConfig, type StoreFlags } from "../database.ts"
import type { Ended } from "../exit.ts"
import { configuredStore } from "../store.ts"

export const withHistory = <A, R>(
  flags: StoreFlags,
  work: Effect.Effect<A, StoreError | ConfigurationError | Ended, R | SessionHistory | Worktrees | Store>
): Effect.Effect<A, Ended, Platform | Exclude<R, SessionHistory | Worktrees | Store>> =>
  Effect.flatMap(readStoreConfig(flags), (configuration) =>
    Effect.provide(
      work,
      SessionHistory.layer.pipe(Layer.provideMerge(Worktrees.layer), Layer.provideMerge(configuredStore(configuration)))
    )
  ).pipe(printingFailures)
