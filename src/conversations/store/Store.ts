/**
 * The store: where conversations, sessions, turns and transcripts are kept, in a file of the user, on a PostgreSQL server
 * or in memory. SQLite and the drivers are loaded when a store is opened.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import type { FileStoreOptions, MemoryStoreOptions, OpenStore, PostgresStoreOptions } from "./OpenStore.ts"

const opened = (open: Effect.Effect<OpenStore, StoreError, Scope.Scope>) => Layer.effect(Store, open)

/** The open store. */
export class Store extends Context.Service<Store, OpenStore>()("reins/Store") {
  /** In a file of this user: for the processes of one machine. Needs `node:sqlite`. */
  static readonly layerFile = (options: FileStoreOptions = {}): Layer.Layer<Store, StoreError> =>
    opened(
      Effect.flatMap(
        load(() => import("./fileStore.ts")),
        ({ openFile }) => openFile(options)
      )
    )

  /** On a PostgreSQL server, version 14 or newer: for the processes of several machines. */
  static readonly layerPostgres = (options: PostgresStoreOptions): Layer.Layer<Store, StoreError> =>
    opened(
      Effect.flatMap(
        load(() => import("./postgresStore.ts")),
        ({ openPostgres }) => openPostgres(options)
      )
    )

  /** A store of this process alone, gone with its scope: for tests. Needs `node:sqlite`. */
  static readonly layerMemory = (options: MemoryStoreOptions = {}): Layer.Layer<Store, StoreError> =>
    opened(
      Effect.flatMap(
        load(() => import("./memoryStore.ts")),
        ({ openMemory }) => openMemory(options)
      )
    )
}

const load = <A>(part: () => Promise<A>) => Effect.promise(part)
