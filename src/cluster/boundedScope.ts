/** The scope of the engine. A peer that froze while it was connected can hold the engine's own end up for ever. */
import { Duration, Effect, Fiber, Option, Scope } from "effect"

/** Closed with the scope around it, which waits so long for it; what is left then ends with the process. */
export const boundedScope = (most: Duration.Duration) =>
  Effect.acquireRelease(Scope.make(), (scope, exit) =>
    Effect.gen(function* () {
      const closing = yield* Effect.forkDetach(Scope.close(scope, exit), { startImmediately: true })
      // In a fiber of its own, too: one that was interrupted waits for nothing that can be interrupted.
      const waiting = yield* Effect.forkDetach(Effect.timeoutOption(Fiber.await(closing), most))
      const closed = yield* Fiber.join(waiting)
      if (Option.isSome(closed)) return
      yield* Effect.logWarning(
        `the connections of the cluster have not closed within ${Duration.format(most)}, and are cut off`
      )
    })
  )
