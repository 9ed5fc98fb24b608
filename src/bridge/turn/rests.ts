/** A turn is over at its `done`; its process may take some seconds more to save its state and exit. */
import { Deferred, Effect, Exit, Fiber, type Scope, Stream } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"

/** What goes on after turns that are over. */
export interface Rests {
  /** Completes at `done`, or when there are no more events. */
  readonly upToDone: (
    events: Stream.Stream<AgentEvent>,
    each: (event: AgentEvent) => Effect.Effect<void>
  ) => Effect.Effect<void>
  /** Until nothing of them is left. */
  readonly wait: Effect.Effect<void>
}

/** They end with the scope. */
export const makeRests = (scope: Scope.Scope): Rests => {
  let rests: Array<Fiber.Fiber<void>> = []
  return {
    upToDone: (events, each) =>
      Effect.suspend(() => {
        const done = Deferred.makeUnsafe<void>()
        const reading = Stream.runForEach(events, (event) =>
          Effect.andThen(each(event), event.type === "done" ? Deferred.succeed(done, undefined) : Effect.void)
        )
        return Effect.flatMap(Effect.forkIn(reading, scope), (fiber) => {
          rests.push(fiber)
          return Effect.raceFirst(Deferred.await(done), Fiber.join(fiber))
        })
      }),
    wait: Effect.suspend(() => {
      const waited = rests
      rests = []
      return Effect.asVoid(Fiber.awaitAll(waited))
    })
  }
}

/** Completes when `work` settles. What it does afterwards goes on in the scope; without an answer it ends with its caller. */
export const settledEarly = <A, R>(
  scope: Scope.Scope,
  work: (settle: (value: A) => void) => Effect.Effect<A, never, R>
): Effect.Effect<A, never, R> =>
  // No interruption comes between the fork and the wait: the fork would have no caller.
  Effect.uninterruptibleMask((restore) => {
    const settled = Deferred.makeUnsafe<A>()
    return work((value) => Deferred.doneUnsafe(settled, Exit.succeed(value))).pipe(
      Effect.onExit((exit) => Deferred.done(settled, exit)),
      Effect.forkIn(scope),
      Effect.flatMap((fiber) => Effect.onInterrupt(restore(Deferred.await(settled)), () => Fiber.interrupt(fiber)))
    )
  })
