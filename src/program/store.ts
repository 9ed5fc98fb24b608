/** The user's store, as configured. Loaded only by the commands and flags that need it. */
import { Effect, Layer } from "effect"
import { storeOptions } from "../api/config/secrets.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { Configuration } from "../contract/Configuration.ts"
import { StoreError } from "../contract/StoreError.ts"
import { harmless } from "../contract/text/harmless.ts"
import { Store } from "../conversations/store/Store.ts"

export const configuredStore = (configuration: Configuration): Layer.Layer<Store, StoreError> =>
  Layer.unwrap(
    Effect.match(storeOptions(configuration), {
      onFailure: ({ message }) => {
        const reason = new InvalidParams({ option: "configuration", problem: harmless(message) })
        return Layer.effect(Store, Effect.fail(new StoreError({ reason })))
      },
      onSuccess: (options) => {
        if (!("postgres" in options)) return Store.layerFile(options)
        const { postgres: url, ...others } = options
        return Store.layerPostgres({ url, ...others })
      }
    })
  )
