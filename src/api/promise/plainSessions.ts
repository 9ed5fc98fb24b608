/** The sessions of a store as promises and AsyncIterables; what they need is loaded with the first call. */
import { Effect, Stream } from "effect"
import { rejectingAtCall } from "../../contract/errors/callSite.ts"
import type { PlainSessions } from "../../contract/PlainSessions.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { History } from "../../conversations/history/History.ts"
import { historyOf } from "../../conversations/SessionHistory.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { iterable } from "./iterable.ts"

export const plainSessions = (
  store: Effect.Effect<OpenStore, StoreError>,
  run: <A>(effect: Effect.Effect<A, StoreError>) => Promise<A>
): PlainSessions => {
  const history = Effect.flatMap(store, historyOf)
  const call = <Given extends ReadonlyArray<unknown>, A>(
    method: (history: History, ...given: Given) => Effect.Effect<A, StoreError>
  ) => rejectingAtCall((...given: Given) => run(Effect.flatMap(history, (each) => method(each, ...given))))
  const streamed = <A>(method: (history: History) => Stream.Stream<A, StoreError>) =>
    iterable(Stream.orDie(Stream.unwrap(Effect.map(history, method))))
  return {
    list: (filter) => streamed(({ list }) => list(filter)),
    get: call(({ get }, session) => get(session)),
    rename: call(({ rename }, session, title) => rename(session, title)),
    forget: call(({ forget }, session) => forget(session)),
    archive: call(({ archive }, session) => archive(session)),
    fork: call(({ fork }, session, options) => fork(session, options)),
    adopt: call(({ adopt }, session, options) => adopt(session, options)),
    clear: call(({ clear }, conversation, cli) => clear(conversation, cli)),
    events: (session, options) => streamed(({ events }) => events(session, options)),
    export: (session, format) => streamed((each) => each.export(session, format))
  }
}
