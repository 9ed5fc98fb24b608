/** The history of the configured store, for a command. */
import { Effect, Layer, type Option } from "effect"
import type { ConfigurationError } from "../../contract/ConfigurationError.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { SessionHistory } from "../../SessionHistory.ts"
import { readConfig } from "../configured.ts"
import type { Ended } from "../exit.ts"
import { configuredStore } from "../store.ts"
import { printingFailures } from "./failing.ts"

/** Opens the store, and prints what fails. */
export const withHistory = <A, R>(
  config: Option.Option<string>,
  work: Effect.Effect<A, StoreError | ConfigurationError | Ended, R | SessionHistory>
): Effect.Effect<A, Ended, Exclude<R, SessionHistory>> =>
  Effect.flatMap(readConfig(config), (configuration) =>
    Effect.provide(work, Layer.provide(SessionHistory.layer, configuredStore(configuration)))
  ).pipe(printingFailures)
