/** Delivers the outbox: one attempt at a time in each conversation, until interrupted, or the account is taken over. */
import { Clock, Context, Effect, FiberSet, Latch, Layer } from "effect"
import { monotonicMillisOf } from "../../system/hostClock.ts"
import type { OutboxRow } from "../journal/outbox.ts"
import { conversationText } from "../messages/Conversation.ts"
import type { ChannelLost } from "../ServeError.ts"
import { type DeliveryOptions, makePieceWork, makeRetryTimes } from "./pieceWork.ts"

export const makeSignal = () => {
  const latch = Latch.makeUnsafe(false)
  return {
    ring: Effect.sync(() => void latch.openUnsafe()),
    heard: Effect.asVoid(Effect.andThen(latch.await, latch.close))
  }
}

/** Wakes the delivery; a wake-up without a waiter counts for the next one. */
export class OutboxSignal extends Context.Service<OutboxSignal, ReturnType<typeof makeSignal>>()(
  "reins/bridge/OutboxSignal"
) {
  static readonly layer = Layer.sync(OutboxSignal, makeSignal)
}

export interface OutboxOptions extends DeliveryOptions {
  /** Rings when pieces were put. */
  readonly signal: OutboxSignal["Service"]
}

/** Longest time between two looks at the outbox. */
const idleMs = 30_000
/** Delay after a failure of the store, or a defect of the channel. */
const troubleMs = 5_000

const laneOf = ({ conversation, kind }: OutboxRow) =>
  `${kind === "request" ? "request" : "rest"} ${conversationText(conversation)}`

export const deliverOutbox = (options: OutboxOptions): Effect.Effect<never, ChannelLost> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { journal, channel, signal } = options
      const clock = yield* Clock.Clock
      const now = () => monotonicMillisOf(clock)
      const later = makeRetryTimes(channel.find !== undefined)
      const work = makePieceWork(options, later, now)
      const fibers = yield* FiberSet.make<void, ChannelLost>()
      const fork = yield* FiberSet.runtime(fibers)()
      const busy = new Set<string>()

      const trouble = (row: OutboxRow) => (problem: unknown) => {
        later.put(row.key, now() + troubleMs)
        return Effect.logWarning("a piece of the outbox could not be dealt with, and is tried again", problem)
      }
      const begin = (row: OutboxRow) => {
        const lane = laneOf(row)
        busy.add(lane)
        const done = Effect.andThen(
          Effect.sync(() => busy.delete(lane)),
          signal.ring
        )
        fork(
          work(row, lane).pipe(
            Effect.catchTag("StoreError", (error) => trouble(row)(error.message)),
            Effect.catchDefect(trouble(row)),
            Effect.ensuring(done)
          )
        )
      }

      /** Begins due pieces; returns when the next is due. */
      const look = Effect.gen(function* () {
        const heads = yield* journal.outbox.heads
        const wallNow = clock.currentTimeMillisUnsafe()
        let next = now() + idleMs
        for (const row of heads) {
          if (row.state === "held" || busy.has(laneOf(row))) continue
          const dueAt = later.dueAt(row, now(), wallNow)
          if (dueAt <= now()) begin(row)
          else next = Math.min(next, dueAt)
        }
        later.keep(new Set(heads.map(({ key }) => key)), now())
        return next
      }).pipe(
        Effect.catchTag("StoreError", (error) =>
          Effect.as(Effect.logWarning("the outbox cannot be read", error.message), now() + troubleMs)
        )
      )
      const round = Effect.flatMap(look, (next) => Effect.timeoutOption(signal.heard, Math.max(next - now(), 1)))
      return yield* Effect.raceFirst(Effect.forever(round), Effect.andThen(FiberSet.join(fibers), Effect.never))
    })
  )
