/**
 * The engine's own connections to the database of the store: numbers of 64 bits are whole, as its ids need. A server that does
 * not answer cuts them off after half a minute, so that what waits fails and is tried anew.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Result } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { type MaybeSecret, reveal } from "../contract/Redacted.ts"
import { StoreError } from "../contract/StoreError.ts"
import { makeSockets } from "../conversations/store/postgresSockets.ts"
import { connectionSettings } from "../conversations/store/postgresStore.ts"
import { addressOf } from "../conversations/store/postgresUrl.ts"
import { patiently } from "../conversations/store/transact.ts"

const pollTimeout = "10 seconds"

export const layerDatabase = (input: MaybeSecret): Layer.Layer<SqlClient.SqlClient, StoreError> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const url = reveal(input)
      const address = addressOf(url)
      if (Result.isFailure(address)) return yield* new StoreError({ reason: address.failure })
      const { open, answered } = makeSockets(address.success)
      const client = yield* patiently(
        PgClient.make({
          stream: open,
          url: Redacted.make(url),
          applicationName: "reins cluster",
          startupParameters: connectionSettings
        })
      )
      const look = Effect.ignore(answered(client`select 1`))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(pollTimeout))))
      return client
    })
  ).pipe(Layer.provide(Reactivity.layer))
