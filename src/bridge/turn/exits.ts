/**
 * Processes that outlive their turn: it is over at its `done`, but the process may take some more seconds to save its state
 * and exit.
 */
import { Deferred, Effect, Exit, Fiber, type Scope, Stream } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"

export interface Exits {
  /** Completes at `done`, or when the events end. */
  readonly upToDone: (
    events: Stream.Stream<AgentEvent>,
    each: (event: AgentEvent) => Effect.Effect<void>
  ) => Effect.Effect<void>
  /** Waits for all of them to exit. */
  readonly wait: Effect.Effect<void>
}

/** Remaining processes end with the scope. */
export const makeExits = (scope: Scope.Scope): Exits => {
  let exiting: Array<Fiber.Fiber<void>> = []
  return {
    upToDone: (events, each) =>
      Effect.suspend(() => {
        const done = Deferred.makeUnsafe<void>()
        const reading = Stream.runForEach(events, (event) =>
          Effect.andThen(each(event), event.type === "done" ? Deferred.succeed(done, undefined) : Effect.void)
        )
        return Effect.flatMap(Effect.forkIn(reading, scope), (fiber) => {
          exiting.push(fiber)
          return Effect.raceFirst(Deferred.await(done), Fiber.join(fiber))
        })
      }),
    wait: Effect.suspend(() => {
      const fibers = exiting
      exiting = []
      return Effect.asVoid(Fiber.awaitAll(fibers))
    })
  }
}

/**
 * Completes when `work` calls `settle`. The rest of it continues in the scope; before that, it is interrupted with its
 * caller.
 */
export const answerBeforeExit = <A, R>(
  scope: Scope.Scope,
  work: (settle: (value: A) => void) => Effect.Effect<A, never, R>
): Effect.Effect<A, never, R> =>
  // Uninterruptible between the fork and the wait: the fork would lose its caller.
  Effect.uninterruptibleMask((restore) => {
    const settled = Deferred.makeUnsafe<A>()
    return work((value) => Deferred.doneUnsafe(settled, Exit.succeed(value))).pipe(
      Effect.onExit((exit) => Deferred.done(settled, exit)),
      Effect.forkIn(scope),
      Effect.flatMap((fiber) => Effect.onInterrupt(restore(Deferred.await(settled)), () => Fiber.interrupt(fiber)))
    )
  })
