/** Deliveries on their way into the journal of the bridge: the fate of each is the answer to its sender. */
import { Deferred, Effect, Queue, Stream } from "effect"
import type { Heard } from "../../../bridge/messages/Channel.ts"
import type { ChannelMessage } from "../../../bridge/messages/ChannelMessage.ts"

/** `late`: nothing is known of it yet. `failed`: the bridge has passed it over. */
export type Fate = "stored" | "known" | "full" | "paused" | "late" | "failed"

interface Entry {
  readonly message: ChannelMessage
  /** Whether it is stored although the bridge is paused. */
  readonly waitsForPause: boolean
  readonly fate: Deferred.Deferred<Fate>
  isOver: boolean
}

const patience = "8 seconds"
/** More are sent away: the account may be served on another machine. */
const mostWaiting = 500

export const makeInbox = Effect.gen(function* () {
  const entries = yield* Queue.dropping<Entry>(mostWaiting)

  const heardOf = ({ message, waitsForPause, fate }: Entry): Heard => {
    const settle = (value: Fate) => Deferred.doneUnsafe(fate, Effect.succeed(value))
    return {
      incoming: { _tag: "Message", message },
      confirm: Effect.sync(() => void settle("failed")),
      reception: {
        stored: () => void settle("stored"),
        declines: (reason) => {
          const isDeclined = reason !== "paused" || !waitsForPause
          if (isDeclined) settle(reason)
          return isDeclined
        }
      }
    }
  }

  return {
    incoming: Stream.fromQueue(entries).pipe(
      Stream.filter(({ isOver }) => !isOver),
      Stream.map(heardOf)
    ),
    /** Returns `stored` once it is in the journal. */
    offer: Effect.fnUntraced(function* (message: ChannelMessage, waitsForPause: boolean): Effect.fn.Return<Fate> {
      const entry: Entry = { message, waitsForPause, fate: Deferred.makeUnsafe<Fate>(), isOver: false }
      if (!(yield* Queue.offer(entries, entry))) return "late"
      return yield* Effect.timeoutOrElse(Deferred.await(entry.fate), {
        duration: patience,
        orElse: () => Effect.succeed<Fate>("late")
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            entry.isOver = true
          })
        )
      )
    })
  }
})
export type Inbox = Effect.Success<typeof makeInbox>
