/** The kinds of stores, for one suite over all of them. */
import { Context, Effect, Layer, type Scope } from "effect"
import type { StoreError } from "../../../src/contract/StoreError.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { hasPostgres, makeDatabase } from "../../kit/postgres.ts"
import { makeDirectory } from "../../kit/temporary.ts"

export type StoreLayer = Layer.Layer<Store, StoreError>

export interface StoreKind {
  readonly name: string
  /** An empty place: a store that is opened there twice is the same, but for memory. */
  readonly place: Effect.Effect<StoreLayer, never, Scope.Scope>
  readonly isShared: boolean
}

export const storeKinds: ReadonlyArray<StoreKind> = [
  { name: "memory", place: Effect.sync(() => Store.layerMemory()), isShared: false },
  { name: "a file", place: Effect.map(makeDirectory, (directory) => Store.layerFile({ directory })), isShared: true },
  ...(hasPostgres
    ? [
        {
          name: "PostgreSQL",
          place: Effect.map(makeDatabase, ({ url }) => Store.layerPostgres({ url })),
          isShared: true
        }
      ]
    : [])
]

/** Open until the end of the test, by a connection of its own. */
export const openIn = (place: StoreLayer) =>
  Effect.map(Layer.build(Layer.fresh(place)), (context) => Context.get(context, Store))
