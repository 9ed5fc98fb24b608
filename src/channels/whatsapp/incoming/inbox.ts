/**
 * Posts on their way into the bridge: a post is taken when the last of its updates is in the journal. What is not taken in
 * time, or what the reader leaves behind, Meta posts again.
 */
import { Deferred, Effect, Latch, Stream } from "effect"
import type { Heard } from "../../../bridge/messages/Channel.ts"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"

interface Delivery {
  /** Updates that are not in the journal yet. */
  open: number
  /** True if all are; false if it comes again. */
  readonly end: Deferred.Deferred<boolean>
  isOver: boolean
}

interface Entry {
  readonly incoming: Incoming
  readonly delivery: Delivery
}

/** Meta waits some more seconds for the answer. */
const patience = "8 seconds"
const mostWaiting = 2_000
/** Repeats of these cost no access to the store; the journal knows older ones. */
const mostKnown = 5_000

export const makeInbox = () => {
  const known = new Set<string>()
  const arrived = Latch.makeUnsafe(false)
  let waiting: Array<Entry> = []
  let readers = 0

  const remember = (updateId: string) => {
    known.add(updateId)
    const [oldest] = known
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
  }

  const end = (delivery: Delivery, isTaken: boolean) => {
    delivery.isOver = true
    Deferred.doneUnsafe(delivery.end, Effect.succeed(isTaken))
  }

  /** Returns true once all are in the journal; false if they have to come again. */
  const take = (updates: ReadonlyArray<Incoming>): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const fresh = updates.filter((incoming) => !known.has(updateIdOf(incoming)))
      if (fresh.length === 0) return Effect.succeed(true)
      waiting = waiting.filter(({ delivery }) => !delivery.isOver)
      if (waiting.length + fresh.length > mostWaiting) return Effect.succeed(false)
      const delivery: Delivery = { open: fresh.length, end: Deferred.makeUnsafe<boolean>(), isOver: false }
      waiting.push(...fresh.map((incoming) => ({ incoming, delivery })))
      arrived.openUnsafe()
      return Effect.timeoutOrElse(Deferred.await(delivery.end), {
        duration: patience,
        orElse: () => Effect.succeed(false)
      }).pipe(Effect.ensuring(Effect.sync(() => end(delivery, false))))
    })

  const incoming: Stream.Stream<Heard> = Stream.unwrap(
    Effect.gen(function* () {
      const reading = new Set<Delivery>()
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          readers += 1
        }),
        () =>
          Effect.sync(() => {
            readers -= 1
            for (const delivery of reading) end(delivery, false)
          })
      )
      const heardOf = ({ incoming: update, delivery }: Entry): Heard => {
        let isConfirmed = false
        reading.add(delivery)
        return {
          incoming: update,
          confirm: Effect.sync(() => {
            if (isConfirmed) return
            isConfirmed = true
            remember(updateIdOf(update))
            delivery.open -= 1
            if (delivery.open > 0) return
            reading.delete(delivery)
            end(delivery, true)
          })
        }
      }
      const next: Effect.Effect<Heard> = Effect.suspend(() => {
        const entry = waiting.shift()
        if (entry !== undefined) return entry.delivery.isOver ? next : Effect.succeed(heardOf(entry))
        for (const delivery of reading) if (delivery.isOver) reading.delete(delivery)
        arrived.closeUnsafe()
        return Effect.andThen(arrived.await, next)
      })
      return Stream.fromEffectRepeat(next)
    })
  )

  return { take, incoming, readers: () => readers }
}
export type Inbox = ReturnType<typeof makeInbox>

const updateIdOf = (incoming: Incoming): string =>
  incoming._tag === "Message" ? incoming.message.updateId : incoming.updateId
