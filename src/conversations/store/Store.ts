/** The store of conversations, sessions, turns and transcripts. SQLite and drivers are loaded on opening. */
import { Context, Effect, Layer, type Scope } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import type { FileStoreOptions, MemoryStoreOptions, OpenStore, PostgresStoreOptions } from "./OpenStore.ts"

type Open = Effect.Effect<OpenStore, StoreError, Scope.Scope>

const layerOf = <Part>(load: () => Promise<Part>, open: (part: Part) => Open) =>
  Layer.effect(Store, Effect.flatMap(Effect.promise(load), open))

/** The open store. */
export class Store extends Context.Service<Store, OpenStore>()("reins/Store") {
  /** In a file of this user: for the processes of one machine. Needs `node:sqlite`. */
  static readonly layerFile = (options: FileStoreOptions = {}): Layer.Layer<Store, StoreError> =>
    layerOf(
      () => import("./fileStore.ts"),
      ({ openFile }) => openFile(options)
    )

  /** On a PostgreSQL server, version 14 or newer: for the processes of several machines. */
  static readonly layerPostgres = (options: PostgresStoreOptions): Layer.Layer<Store, StoreError> =>
    layerOf(
      () => import("./postgresStore.ts"),
      ({ openPostgres }) => openPostgres(options)
    )

  /** A store of this process alone, gone with its scope: for tests. Needs `node:sqlite`. */
  static readonly layerMemory = (options: MemoryStoreOptions = {}): Layer.Layer<Store, StoreError> =>
    layerOf(
      () => import("./memoryStore.ts"),
      ({ openMemory }) => openMemory(options)
    )
}
