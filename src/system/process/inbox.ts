/**
 * Pushed chunks → a Stream: each pull takes all that has arrived since the last one. `push` never waits, and runs the reader
 * before it returns, so a chunk is handled in the turn of the event loop in which it arrives.
 */
import type { Stream } from "effect"
import { pollableStream } from "./pollable.ts"

export interface Inbox {
  readonly push: (chunk: Uint8Array) => void
  /** The stream ends behind what has arrived; later chunks are dropped. */
  readonly end: () => void
  /** For one reader. */
  readonly stream: Stream.Stream<Uint8Array>
}

export const makeInbox = (): Inbox => {
  let chunks: Array<Uint8Array> = []
  let isEnded = false
  /** The reader that waits. */
  let waiting: (() => void) | undefined

  const wake = () => {
    const reader = waiting
    waiting = undefined
    reader?.()
  }

  const stream = pollableStream<Uint8Array>({
    poll: () => {
      if (chunks.length === 0 && isEnded) return undefined
      const arrived = chunks
      chunks = []
      return arrived
    },
    onReady: (callback) => {
      waiting = callback
    }
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
    stream
  }
}
