/** One fiber for each conversation that has something to do: conversations side by side, each in its own order. */
import { Cause, Effect, Latch, type Scope } from "effect"

export interface Lanes {
  /** There is something new in the conversation. */
  readonly wake: (conversation: string) => Effect.Effect<void>
  readonly size: () => number
}

/** What a lane says after a look: nothing is left, or when to look again unless something comes, or `until` is over, before. */
export type Look =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Again" }
  | { readonly _tag: "Wait"; readonly ms: number; readonly until?: Effect.Effect<void> }

interface Lane {
  readonly arrived: Latch.Latch
}

/**
 * @param look One step of a conversation. One that fails is logged, and its conversation goes on with what comes next.
 */
export const makeLanes = Effect.fnUntraced(function* <E>(
  look: (conversation: string) => Effect.Effect<Look, E>,
  onFailure: (cause: Cause.Cause<E>) => Effect.Effect<void>
): Effect.fn.Return<Lanes, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const lanes = new Map<string, Lane>()

  const run = Effect.fnUntraced(function* (conversation: string, lane: Lane) {
    while (true) {
      lane.arrived.closeUnsafe()
      const looked = yield* Effect.catchCause(
        look(conversation),
        (cause): Effect.Effect<Look> =>
          Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.as(onFailure(cause), { _tag: "Wait", ms: 1_000 })
      )
      if (looked._tag === "Again") continue
      if (looked._tag === "Wait") {
        const { until = Effect.never } = looked
        yield* Effect.timeoutOption(Effect.raceFirst(lane.arrived.await, until), looked.ms)
        continue
      }
      if (lane.arrived.isOpen()) continue
      // In the same step as the look at the latch: whoever comes later finds no lane.
      lanes.delete(conversation)
      return
    }
  })

  return {
    wake: (conversation) =>
      Effect.suspend(() => {
        const present = lanes.get(conversation)
        if (present !== undefined) return Effect.sync(() => present.arrived.openUnsafe())
        const lane: Lane = { arrived: Latch.makeUnsafe(false) }
        lanes.set(conversation, lane)
        const ended = Effect.sync(() => lanes.delete(conversation))
        return Effect.asVoid(
          Effect.forkIn(
            Effect.onError(run(conversation, lane), () => ended),
            scope
          )
        )
      }),
    size: () => lanes.size
  }
})
