/** A run in the home of its conversation, on whichever machine that is. Loaded only with `--database`. */
import { Context, Effect, Layer, Redacted, Result, Stream } from "effect"
import { failedRun } from "../agents/engine/result.ts"
import { storeOptions } from "../api/config/secrets.ts"
import { layerClusteredSessions } from "../cluster/ClusteredSessions.ts"
import { InvalidParams, StoreUnavailable } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { TurnParams } from "../contract/AgentOpenParams.ts"
import { Sessions } from "../conversations/Sessions.ts"
import { storeFailure } from "../conversations/store/problems.ts"
import { Store } from "../conversations/store/Store.ts"
import { databasePlace } from "./database.ts"

const urlOf = (address: string) =>
  Effect.fromResult(databasePlace(address)).pipe(
    Effect.flatMap((database) =>
      Effect.mapError(storeOptions({ agents: {}, directories: {}, store: { database } }), ({ problems }) =>
        problems.map(({ problem }) => problem).join("; ")
      )
    ),
    Effect.map((options) => ("postgres" in options ? options.postgres : Redacted.make(""))),
    Effect.mapError(
      (problem) => new InvalidParams({ option: "--database", problem: problem.replace(/^--database: /, "") })
    )
  )

export const clusterEvents = (params: TurnParams, cli: string, database: string) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const url = yield* urlOf(database)
      const layer = layerClusteredSessions({ database: url, cli }).pipe(Layer.provide(Store.layerPostgres({ url })))
      const context = yield* Effect.mapError(Layer.build(layer), (error) =>
        error._tag === "StoreError" ? storeFailure(error) : new StoreUnavailable({ problem: error.message })
      )
      return Context.get(context, Sessions).execute(params)
    }).pipe(
      Effect.result,
      Effect.map(Result.getOrElse((reason): Stream.Stream<AgentEvent> => Stream.fromIterable(failedRun(reason))))
    )
  )
