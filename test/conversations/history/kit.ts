/** The operations on stored sessions, over a store in memory and CLIs that have sessions of their own. */
import { Effect, Layer, type Scope } from "effect"
import { clis } from "../../../src/cli/clis.ts"
import { SessionBusy } from "../../../src/contract/AgentError.ts"
import type { StoreError } from "../../../src/contract/StoreError.ts"
import { makeHistory } from "../../../src/conversations/history/guarded.ts"
import type { History } from "../../../src/conversations/history/History.ts"
import type { HistoryContext } from "../../../src/conversations/history/info.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"

export interface Setting {
  readonly store: OpenStore
  readonly history: History
  /** Ids of sessions, and names of conversations, that are in use. */
  readonly held: Set<string>
}

const busy = (what: "session" | "conversation", subject: string) => new SessionBusy({ what, subject, waitedMs: 0 })

export const contextOf = (store: OpenStore, held: ReadonlySet<string>, isHome = false): HistoryContext => ({
  store,
  clis: isHome ? Object.values(clis) : Object.values(clis).map(({ stored: _, ...cli }) => cli),
  whoHolds: (_, sessionId) =>
    Effect.succeed(held.has(sessionId) ? { pid: 4711, host: "h", since: 1, runId: "r" } : undefined),
  holdSession: (_, sessionId) => (held.has(sessionId) ? Effect.fail(busy("session", sessionId)) : Effect.void),
  holdConversation: ([name]) => (held.has(name) ? Effect.fail(busy("conversation", name)) : Effect.void)
})

/** `isHome`: the CLIs' own sessions are found, too. */
export const inMemory = <A, E>(test: (setting: Setting) => Effect.Effect<A, E, Scope.Scope>, isHome = false) =>
  Effect.gen(function* () {
    const store = yield* Store
    const held = new Set<string>()
    return yield* test({ store, history: makeHistory(contextOf(store, held, isHome)), held })
  }).pipe(Effect.provide(Layer.fresh(Store.layerMemory())), Effect.scoped)

export const reasonOf = <A>(effect: Effect.Effect<A, StoreError>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)
