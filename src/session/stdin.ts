/** The stdin of a live CLI: lines of JSON, queued without waiting. */
import { type Cause, Effect, Queue, Result, Stream } from "effect"
import { encodeJson } from "../contract/json.ts"

export interface LiveStdin {
  /** Gives the problem if a value cannot be written, to follow its name. */
  readonly write: (json: unknown) => string | undefined
  /** Whether lines can still be written. */
  readonly isOpen: () => boolean
  readonly end: Effect.Effect<void>
  readonly lines: Stream.Stream<string>
}

export const makeStdin = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<string, Cause.Done>()
  let isOpen = true
  const close = () => {
    isOpen = false
  }
  const stdin: LiveStdin = {
    write: (json) => {
      const encoded = encodeJson(json)
      if (Result.isFailure(encoded)) return encoded.failure
      if (isOpen) Queue.offerUnsafe(queue, `${encoded.success}\n`)
      return undefined
    },
    isOpen: () => isOpen,
    end: Effect.suspend(() => {
      close()
      return Effect.asVoid(Queue.end(queue))
    }),
    // A broken pipe ends it before its end.
    lines: Stream.ensuring(Stream.fromQueue(queue), Effect.sync(close))
  }
  return stdin
})
