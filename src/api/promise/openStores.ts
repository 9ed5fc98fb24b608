/** What is behind a store of the plain door, for its agents. */
import { Predicate } from "effect"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"

/** Those of this copy of the package. */
export const openStores = new WeakMap<object, OpenStore>()

/** Undefined for anything that `openStore` has not given. */
export const openStoreOf = (given: unknown): OpenStore | undefined =>
  Predicate.isObject(given) ? openStores.get(given) : undefined
