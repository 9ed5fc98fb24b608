/**
 * What a channel hears, taken in and confirmed one after the other. Control passes what waits to be taken in: presses and
 * stops are acted on as soon as they are heard, in an order of their own, and confirmed in their place.
 */
import { Deferred, Effect, Queue, type Scope, Stream } from "effect"
import type { Heard } from "../messages/Channel.ts"
import type { JournalFailure } from "./voice.ts"

/** What is read ahead: as much again waits in the channel. */
const mostAhead = 256

/** What is to be done in its place; undefined: it could not be acted on, and is taken in like all else. */
type Acted = Effect.Effect<void, JournalFailure> | undefined

export interface ListeningOptions {
  readonly isControl: (given: Heard) => boolean
  /** Gives what is to be done once all that was heard before is taken in. */
  readonly act: (given: Heard) => Effect.Effect<Effect.Effect<void, JournalFailure>, JournalFailure>
  readonly take: (given: Heard) => Effect.Effect<void, JournalFailure>
}

export const listen = Effect.fnUntraced(function* <E>(
  incoming: Stream.Stream<Heard, E>,
  { isControl, act, take }: ListeningOptions
): Effect.fn.Return<void, E | JournalFailure, Scope.Scope> {
  const lane = yield* Queue.unbounded<{ readonly given: Heard; readonly acted: Deferred.Deferred<Acted> }>()
  yield* Effect.forkScoped(
    Stream.runForEach(Stream.fromQueue(lane), ({ given, acted }) =>
      Effect.flatMap(Effect.exit(act(given)), (exit) =>
        Deferred.succeed(acted, exit._tag === "Success" ? exit.value : undefined)
      )
    )
  )
  const passed = (given: Heard) => {
    if (!isControl(given)) return { given, acted: undefined }
    const acted = Deferred.makeUnsafe<Acted>()
    Queue.offerUnsafe(lane, { given, acted })
    return { given, acted }
  }
  yield* incoming.pipe(
    Stream.map(passed),
    Stream.buffer({ capacity: mostAhead }),
    Stream.runForEach(({ given, acted }) =>
      acted === undefined ? take(given) : Effect.flatMap(Deferred.await(acted), (rest) => rest ?? take(given))
    )
  )
})
