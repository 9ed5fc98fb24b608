/** A stream that needs preparation: its notices come first, then its events. */
import { type Cause, Effect, Fiber, Queue, type Scope, Stream } from "effect"
import { withOutput } from "../../agents/answers/answering.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"

export const noticesFirst = <Output>(
  prepare: (tell: (event: AgentEvent) => void) => Effect.Effect<Stream.Stream<AgentEvent<Output>>, never, Scope.Scope>
): Stream.Stream<AgentEvent<Output>> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const notices = yield* Queue.unbounded<AgentEvent, Cause.Done>()
      const tell = (event: AgentEvent) => void Queue.offerUnsafe(notices, event)
      const preparing = yield* prepare(tell).pipe(
        Effect.ensuring(Effect.sync(() => Queue.endUnsafe(notices))),
        Effect.forkScoped({ startImmediately: true })
      )
      return Stream.concat(
        withOutput<Output>(undefined, Stream.fromQueue(notices)),
        Stream.unwrap(Fiber.join(preparing))
      )
    })
  )
