/**
 * Pushed chunks → a Stream: each pull takes all that has arrived since the last one. `push` never waits, and resumes
 * the reader before it returns, so a chunk is handled in the turn of the event loop in which it arrives.
 */
import { Array as Arr, Cause, Effect, Exit, Stream } from "effect"

export interface Inbox {
  readonly push: (chunk: Uint8Array) => void
  /** The stream ends behind what has arrived; later chunks are dropped. */
  readonly end: () => void
  /** For one reader. */
  readonly stream: Stream.Stream<Uint8Array>
}

type Arrived = Exit.Exit<Arr.NonEmptyReadonlyArray<Uint8Array>, Cause.Done>

const ended: Arrived = Exit.fail(Cause.Done())

export const makeInbox = (): Inbox => {
  let chunks: Array<Uint8Array> = []
  let isEnded = false
  let resume: ((arrived: Arrived) => void) | undefined

  const take = (): Arrived | undefined => {
    if (!Arr.isArrayNonEmpty(chunks)) return isEnded ? ended : undefined
    const arrived = Exit.succeed(chunks)
    chunks = []
    return arrived
  }

  const wake = () => {
    const waiting = resume
    const arrived = waiting === undefined ? undefined : take()
    if (waiting === undefined || arrived === undefined) return
    resume = undefined
    waiting(arrived)
  }

  const pull = Effect.callback<Arr.NonEmptyReadonlyArray<Uint8Array>, Cause.Done>((give) => {
    const arrived = take()
    if (arrived !== undefined) return give(arrived)
    resume = give
    return Effect.sync(() => {
      resume = undefined
    })
  })

  return {
    push: (chunk) => {
      if (isEnded) return
      chunks.push(chunk)
      wake()
    },
    end: () => {
      isEnded = true
      wake()
    },
    stream: Stream.fromPull(Effect.succeed(pull))
  }
}
