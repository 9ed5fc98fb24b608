/** Who in this process writes the transcripts of a store, and who waits for further events of a session. */
import { Deferred, type Effect, Exit } from "effect"
import type { OpenStore } from "../store/OpenStore.ts"

export interface Changes {
  /** Completes with the next change of the session from now on. */
  readonly next: (key: string) => Effect.Effect<void>
  readonly tell: (key: string) => void
  /** Each writes what it has so far. */
  readonly writers: Set<Effect.Effect<void>>
}

const makeChanges = (): Changes => {
  const waiting = new Map<string, Deferred.Deferred<void>>()
  return {
    writers: new Set(),
    next: (key) => {
      const present = waiting.get(key) ?? Deferred.makeUnsafe<void>()
      waiting.set(key, present)
      return Deferred.await(present)
    },
    tell: (key) => {
      const present = waiting.get(key)
      waiting.delete(key)
      if (present !== undefined) Deferred.doneUnsafe(present, Exit.void)
    }
  }
}

const ofStores = new WeakMap<OpenStore, Changes>()

export const changesOf = (store: OpenStore): Changes => {
  const known = ofStores.get(store) ?? makeChanges()
  ofStores.set(store, known)
  return known
}
