/** Handles and confirms updates in order. Urgent ones (presses, stops) are acted on early, confirmed in their place. */
import { Deferred, Effect, Queue, type Scope, Stream } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { Heard } from "../messages/Channel.ts"
import type { JournalFailure } from "./replies.ts"

/** Longest read-ahead: as many again wait in the channel. */
const mostAhead = 256

/** The rest of an urgent update; undefined if the action failed, and the update is handled like any other. */
type Rest = Effect.Effect<void, JournalFailure> | undefined

interface ListenOptions {
  readonly isUrgent: (update: Heard) => boolean
  /** Acts on an urgent update; returns the rest, to be run in its place. */
  readonly actEarly: (update: Heard) => Effect.Effect<Effect.Effect<void, JournalFailure>, JournalFailure>
  readonly handle: (update: Heard) => Effect.Effect<void, JournalFailure>
}

export const listen = Effect.fn(...untraced("Bridge.listen"))(function* <E>(
  incoming: Stream.Stream<Heard, E>,
  { isUrgent, actEarly, handle }: ListenOptions
): Effect.fn.Return<void, E | JournalFailure, Scope.Scope> {
  const urgent = yield* Queue.unbounded<{ readonly update: Heard; readonly rest: Deferred.Deferred<Rest> }>()
  yield* Effect.forkScoped(
    Stream.runForEach(Stream.fromQueue(urgent), ({ update, rest }) =>
      Effect.flatMap(Effect.exit(actEarly(update)), (exit) =>
        Deferred.succeed(rest, exit._tag === "Success" ? exit.value : undefined)
      )
    )
  )
  const overtake = (update: Heard) => {
    if (!isUrgent(update)) return { update, rest: undefined }
    const rest = Deferred.makeUnsafe<Rest>()
    Queue.offerUnsafe(urgent, { update, rest })
    return { update, rest }
  }
  yield* incoming.pipe(
    Stream.map(overtake),
    Stream.buffer({ capacity: mostAhead }),
    Stream.runForEach(({ update, rest }) =>
      rest === undefined ? handle(update) : Effect.flatMap(Deferred.await(rest), (run) => run ?? handle(update))
    )
  )
})
