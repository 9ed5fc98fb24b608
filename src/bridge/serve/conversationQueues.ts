/** The queues of an account's conversations. A turn needs a place, requested before it takes its messages. */
import { Context, Effect, Layer, Queue, type Scope } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { makeKeyedWorker, type Step } from "../../conversations/turns/keyedWorker.ts"
import type { Claim, Places } from "../../conversations/turns/places.ts"
import { Bridge } from "./account.ts"

export class ConversationQueues extends Context.Service<
  ConversationQueues,
  {
    /** Wakes the queue of the conversation, also before `run`. */
    readonly wake: (conversation: string) => Effect.Effect<void>
    /** Performs steps in the woken conversations. A failure is logged, and the conversation continues after a second. */
    readonly run: <E>(step: (conversation: string) => Effect.Effect<Step, E>) => Effect.Effect<never>
  }
>()("reins/bridge/ConversationQueues") {
  static readonly layer = Layer.effect(
    ConversationQueues,
    Effect.suspend(() => makeConversationQueues)
  )
}

const makeConversationQueues = Effect.gen(function* () {
  const woken = yield* Queue.unbounded<string>()
  return ConversationQueues.of({
    wake: (conversation) => Effect.asVoid(Queue.offer(woken, conversation)),
    run: (step) =>
      Effect.scoped(
        Effect.flatMap(makeKeyedWorker(step), ({ wake }) => Effect.forever(Effect.flatMap(Queue.take(woken), wake)))
      )
  })
})

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
const makePlaceRequests = Effect.fn(...untraced("ConversationQueues.makePlaceRequests"))(function* ({
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
