/**
 * Streams of the service as AsyncIterables. Nothing runs before the first `next`; leaving ends the work of the stream and
 * waits for its end. One fiber reads for each consumer, where `Stream.toAsyncIterable` forks two for each pull (1.6 times the
 * CPU of short turns, measured). Calls of `next` are served in order.
 */
import { Cause, Effect, Exit, type Fiber, Stream } from "effect"

type Next<A> = IteratorResult<A, undefined>

const over: IteratorReturnResult<undefined> = { done: true, value: undefined }
const valuesOf = <A>(values: ReadonlyArray<A>): Iterator<A, undefined> => values[Symbol.iterator]()

const makeIterator = <A>(stream: Stream.Stream<A>): AsyncIterator<A, undefined> => {
  let reader: Fiber.Fiber<void> | undefined
  let taken = valuesOf<A>([])
  /** Pending calls of `next`, in order; none while `taken` has values. */
  let waiting: Array<(next: Next<A> | Promise<Next<A>>) => void> = []
  /** Resumes the reader, which waits until its values are taken and another one is requested. */
  let resumeReader: (() => void) | undefined
  let closing: Promise<typeof over> | undefined

  const serve = () => {
    while (waiting.length > 0) {
      const next = taken.next()
      if (next.done === true) {
        const resume = resumeReader
        resumeReader = undefined
        return resume?.()
      }
      waiting.shift()?.(next)
    }
  }

  const handOver = (values: ReadonlyArray<A>) =>
    Effect.callback<void>((resume) => {
      taken = valuesOf(values)
      resumeReader = () => resume(Effect.void)
      serve()
    })

  /** The first pending call gets the error. */
  const finish = (exit: Exit.Exit<void>) => {
    const [first, ...others] = waiting
    waiting = []
    closing ??= Promise.resolve(over)
    const isDefect = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    first?.(isDefect ? Promise.reject(Cause.squash(exit.cause)) : over)
    for (const resolve of others) resolve(over)
  }

  const start = () => {
    reader = Effect.runFork(Stream.runForEachArray(stream, handOver))
    reader.addObserver(finish)
  }

  const close = () => {
    if (closing !== undefined) return closing
    const left = waiting
    waiting = []
    taken = valuesOf<A>([])
    closing = new Promise((resolve, reject) => {
      if (reader === undefined) return resolve(over)
      reader.addObserver((exit) =>
        Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? reject(Cause.squash(exit.cause)) : resolve(over)
      )
      reader.interruptUnsafe()
    })
    for (const resolve of left) resolve(closing)
    return closing
  }

  return {
    next: () => {
      const next = waiting.length === 0 ? taken.next() : over
      if (next.done !== true) return Promise.resolve(next)
      if (closing !== undefined) return closing
      return new Promise((resolve) => {
        waiting.push(resolve)
        // The first call is served as soon as there is a value, and the others after it.
        if (reader === undefined) start()
        else if (waiting.length === 1) serve()
      })
    },
    return: close,
    throw: async (error) => {
      await close().catch((suppressed) =>
        Effect.runPromise(Effect.logError("Suppressed error while closing an iterator", suppressed))
      )
      throw error
    }
  }
}

export const iterable = <A>(stream: Stream.Stream<A>): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => makeIterator(stream)
})
