/** Waiters of the channel, and its updates: stored until they are confirmed, or for ever, to be read from a mark on. */
import { Effect, Stream } from "effect"
import type { Heard } from "../../bridge/messages/Channel.ts"
import type { Incoming } from "../../bridge/messages/Incoming.ts"
import type { ChannelError } from "../../bridge/messages/SendError.ts"
import type { Broken } from "./rules.ts"

export const makeSignal = () => {
  const waiting = new Set<() => void>()
  const next = Effect.callback<void>((resume) => {
    const wake = () => resume(Effect.void)
    waiting.add(wake)
    return Effect.sync(() => void waiting.delete(wake))
  })
  /** Returns the first value of `look` that is not undefined. */
  const until = <A>(look: () => A | undefined): Effect.Effect<A> =>
    Effect.suspend(() => {
      const found = look()
      return found === undefined ? Effect.andThen(next, until(look)) : Effect.succeed(found)
    })
  const notify = () => {
    const all = [...waiting]
    waiting.clear()
    // A resumed fiber runs at once: not in the middle of this call.
    queueMicrotask(() => {
      for (const wake of all) wake()
    })
  }
  return { notify, until }
}

export type Signal = ReturnType<typeof makeSignal>

export interface UpdatesOptions {
  readonly signal: Signal
  readonly hasConfirmation: boolean
  readonly violate: (broken: Broken) => Effect.Effect<void>
}

export const makeUpdates = ({ signal, hasConfirmation, violate }: UpdatesOptions) => {
  const all: Array<Incoming> = []
  let confirmed = 0
  let listeners = 0
  let over: ChannelError | undefined
  const confirm = (index: number) =>
    Effect.suspend(() => {
      const isEarly = index > confirmed
      confirmed = Math.max(confirmed, index + 1)
      signal.notify()
      return isEarly ? violate({ rule: "order", detail: `update ${index + 1} is confirmed too early` }) : Effect.void
    })

  const updateOf = (index: number, incoming: Incoming): Heard =>
    hasConfirmation
      ? { incoming, confirm: confirm(index) }
      : { incoming, mark: String(index + 1), confirm: confirm(index) }

  const at = (index: number) =>
    Effect.flatMap(
      signal.until(() => over ?? all[index]),
      (found) =>
        found._tag === "ChannelError"
          ? Effect.fail(found)
          : Effect.succeed([updateOf(index, found), index + 1] as const)
    )

  const listening = Effect.acquireRelease(
    Effect.sync(() => {
      listeners += 1
    }),
    () =>
      Effect.sync(() => {
        listeners -= 1
        signal.notify()
      })
  )

  return {
    push: (incoming: Incoming) => {
      all.push(incoming)
      signal.notify()
    },
    /** Repeats it, as after a lost confirmation. */
    again: (updateId: string) => {
      const found = all.find((each) => (each._tag === "Message" ? each.message : each).updateId === updateId)
      if (found === undefined) throw new Error(`unknown update ${updateId}`)
      all.push(found)
      signal.notify()
    },
    end: (error: ChannelError) => {
      over = error
      signal.notify()
    },
    incoming: (mark: string | undefined): Stream.Stream<Heard, ChannelError> =>
      Stream.unwrap(
        Effect.as(
          listening,
          Stream.suspend(() => {
            // A reader that starts at a mark has taken in everything before it.
            if (!hasConfirmation) confirmed = Math.max(confirmed, Number(mark ?? 0))
            return Stream.unfold(hasConfirmation ? confirmed : Number(mark ?? 0), at)
          })
        )
      ),
    confirmed: () => confirmed,
    heard: () => all.length,
    listeners: () => listeners
  }
}

export type Updates = ReturnType<typeof makeUpdates>
