/** One fiber for each conversation with work. A turn needs a place, requested before it takes its messages. */
import { Cause, Effect, Latch, type Scope } from "effect"
import type { Claim, Places } from "../../conversations/turns/places.ts"

/** The result of one step of a conversation: done, or when to look again, unless woken or `until` completes earlier. */
export type QueueStep =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Again" }
  | { readonly _tag: "Wait"; readonly ms: number; readonly until?: Effect.Effect<void> }

export interface ConversationQueues {
  /** Wakes the queue of the conversation. */
  readonly wake: (conversation: string) => Effect.Effect<void>
  readonly size: () => number
}

/** @param step One step of a conversation. A failure is logged, and the conversation continues after a second. */
export const makeConversationQueues = Effect.fnUntraced(function* <E>(
  step: (conversation: string) => Effect.Effect<QueueStep, E>,
  onFailure: (cause: Cause.Cause<E>) => Effect.Effect<void>
): Effect.fn.Return<ConversationQueues, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const queues = new Map<string, Latch.Latch>()

  const run = Effect.fnUntraced(function* (conversation: string, arrived: Latch.Latch) {
    while (true) {
      arrived.closeUnsafe()
      const result = yield* Effect.catchCause(
        step(conversation),
        (cause): Effect.Effect<QueueStep> =>
          Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.as(onFailure(cause), { _tag: "Wait", ms: 1_000 })
      )
      if (result._tag === "Again") continue
      if (result._tag === "Wait") {
        const { until = Effect.never } = result
        yield* Effect.timeoutOption(Effect.raceFirst(arrived.await, until), result.ms)
        continue
      }
      if (arrived.isOpen()) continue
      // Synchronous with the check of the latch: a later caller finds no queue and starts one.
      queues.delete(conversation)
      return
    }
  })

  return {
    wake: (conversation) =>
      Effect.suspend(() => {
        const present = queues.get(conversation)
        if (present !== undefined) return Effect.sync(() => present.openUnsafe())
        const arrived = Latch.makeUnsafe(false)
        queues.set(conversation, arrived)
        const ended = Effect.sync(() => queues.delete(conversation))
        const running = Effect.onError(run(conversation, arrived), () => ended)
        return Effect.asVoid(Effect.forkIn(running, scope))
      }),
    size: () => queues.size
  }
})

export interface PlaceRequests {
  /** Returns the same request until it is released. */
  readonly of: (conversation: string) => Claim
  readonly release: (conversation: string) => Effect.Effect<void>
  readonly isWaiting: (conversation: string) => boolean
}

/** Requested places are released when the scope closes. */
export const makePlaceRequests = Effect.fnUntraced(function* ({
  claim
}: Pick<Places, "claim">): Effect.fn.Return<PlaceRequests, never, Scope.Scope> {
  const requests = new Map<string, Claim>()
  const release = (conversation: string) =>
    Effect.suspend(() => {
      const own = requests.get(conversation)
      requests.delete(conversation)
      return own?.leave ?? Effect.void
    })
  yield* Effect.addFinalizer(() => Effect.forEach([...requests.keys()], release, { discard: true }))
  return {
    of: (conversation) => {
      const own = requests.get(conversation) ?? claim(conversation)
      requests.set(conversation, own)
      return own
    },
    release,
    isWaiting: (conversation) => requests.get(conversation)?.isReady() === false
  }
})
