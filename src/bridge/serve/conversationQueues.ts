/** One fiber for each conversation with work. A turn needs a place, requested before it takes its messages. */
import { Cause, Context, Effect, FiberSet, Latch, Layer, Queue, type Scope } from "effect"
import type { Claim, Places } from "../../conversations/turns/places.ts"
import { Bridge } from "./account.ts"

/** The result of one step of a conversation: done, or when to look again, unless woken or `until` completes earlier. */
export type QueueStep =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Again" }
  | { readonly _tag: "Wait"; readonly ms: number; readonly until?: Effect.Effect<void> }

export class ConversationQueues extends Context.Service<
  ConversationQueues,
  {
    /** Wakes the queue of the conversation. */
    readonly wake: (conversation: string) => Effect.Effect<void>
    /** Performs steps in the woken conversations. A failure is logged, and the conversation continues after a second. */
    readonly run: <E>(step: (conversation: string) => Effect.Effect<QueueStep, E>) => Effect.Effect<never>
    readonly size: () => number
  }
>()("reins/bridge/ConversationQueues") {
  static readonly layer = Layer.effect(
    ConversationQueues,
    Effect.suspend(() => makeConversationQueues)
  )
}

const makeConversationQueues = Effect.gen(function* () {
  const woken = yield* Queue.unbounded<string>()
  const queues = new Map<string, Latch.Latch>()

  const perform = Effect.fnUntraced(function* <E>(
    conversation: string,
    step: (conversation: string) => Effect.Effect<QueueStep, E>
  ) {
    const arrived = queues.get(conversation)
    if (arrived === undefined) return
    while (true) {
      arrived.closeUnsafe()
      const result = yield* Effect.catchCause(
        step(conversation),
        (cause): Effect.Effect<QueueStep> =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.interrupt
            : Effect.as(Effect.logWarning("a conversation waits after a failure", Cause.squash(cause)), afterFailure)
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

  return ConversationQueues.of({
    wake: (conversation) =>
      Effect.sync(() => {
        const present = queues.get(conversation)
        if (present !== undefined) return void present.openUnsafe()
        queues.set(conversation, Latch.makeUnsafe(false))
        Queue.offerUnsafe(woken, conversation)
      }),
    run: (step) =>
      Effect.gen(function* () {
        const fibers = yield* FiberSet.make<void>()
        return yield* Effect.forever(
          Effect.flatMap(Queue.take(woken), (conversation) =>
            FiberSet.run(
              fibers,
              Effect.onError(perform(conversation, step), () => Effect.sync(() => queues.delete(conversation)))
            )
          )
        )
      }).pipe(Effect.scoped),
    size: () => queues.size
  })
})

const afterFailure: QueueStep = { _tag: "Wait", ms: 1_000 }

export class PlaceRequests extends Context.Service<
  PlaceRequests,
  {
    /** Returns the same request until it is released. */
    readonly of: (conversation: string) => Claim
    readonly release: (conversation: string) => Effect.Effect<void>
    readonly isWaiting: (conversation: string) => boolean
  }
>()("reins/bridge/PlaceRequests") {
  static readonly layer = Layer.effect(
    PlaceRequests,
    Effect.flatMap(Bridge, ({ core }) => makePlaceRequests(core.places))
  )
}

/** Requested places are released when the scope closes. */
const makePlaceRequests = Effect.fnUntraced(function* ({
  claim
}: Pick<Places, "claim">): Effect.fn.Return<PlaceRequests["Service"], never, Scope.Scope> {
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
