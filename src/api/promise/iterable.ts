/**
 * Streams of the service as AsyncIterables. Nothing runs before the first `next`; leaving ends the work of the stream and
 * waits for its end. A value that is in memory already costs no fiber.
 */
import { Cause, Effect, Exit, Fiber, Scope, type Stream } from "effect"
import { openNow, openPollable, type Pollable } from "../../system/process/pollable.ts"

type Next<A> = IteratorResult<A, undefined>

const over: IteratorReturnResult<undefined> = { done: true, value: undefined }
const valuesOf = <A>(values: ReadonlyArray<A>): Iterator<A, undefined> => values[Symbol.iterator]()

const makeIterator = <A>(stream: Stream.Stream<A>): AsyncIterator<A, undefined> => {
  /** Closes the stream; may return an effect to run for that. */
  let release: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void> | undefined = () => undefined
  let opening: Fiber.Fiber<Pollable<A>> | undefined
  let pollable: Pollable<A> | undefined
  let taken = valuesOf<A>([])
  /** Pending calls of `next`, in order; none while `taken` has values. */
  let waiting: Array<(next: Next<A> | Promise<Next<A>>) => void> = []
  let closing: Promise<typeof over> | undefined

  const close = (exit: Exit.Exit<unknown, unknown>) => {
    if (closing !== undefined) return closing
    // Before the release, which would wake them.
    const left = waiting
    waiting = []
    const released = release(exit)
    closing = released === undefined ? Promise.resolve(over) : Effect.runPromise(Effect.as(released, over))
    for (const resolve of left) resolve(closing)
    return closing
  }

  const closeFor = async (error: unknown): Promise<never> => {
    await close(Exit.die(error)).catch((suppressed) =>
      Effect.runPromise(Effect.logError("Suppressed error while closing an iterator", suppressed))
    )
    throw error
  }

  /** The first pending call gets the error; a close leaves no pending calls. */
  const fail = (error: unknown) => waiting.shift()?.(closeFor(error))

  const serve = (from: Pollable<A>) => {
    while (waiting.length > 0) {
      const next = taken.next()
      if (next.done !== true) {
        waiting.shift()?.(next)
        continue
      }
      const values = from.poll()
      if (values === undefined) return void close(Exit.void)
      if (values.length === 0) return from.onReady(() => tryToServe(from))
      taken = valuesOf(values)
    }
  }

  const tryToServe = (from: Pollable<A>) => {
    try {
      serve(from)
    } catch (error) {
      fail(error)
    }
  }

  const open = () => {
    const opened = openNow(stream)
    if (opened === undefined) return openByFiber()
    release = opened.close
    pollable = opened.pollable
    tryToServe(pollable)
  }

  const openByFiber = () => {
    const scope = Scope.makeUnsafe()
    release = (exit) =>
      Effect.andThen(opening === undefined ? Effect.void : Fiber.interrupt(opening), Scope.close(scope, exit))
    opening = Effect.runFork(Scope.provide(openPollable(stream), scope))
    opening.addObserver((exit) => {
      opening = undefined
      if (Exit.isFailure(exit)) return fail(Cause.squash(exit.cause))
      pollable = exit.value
      tryToServe(pollable)
    })
  }

  return {
    next: () => {
      if (closing !== undefined) return closing
      const next = waiting.length === 0 ? taken.next() : over
      if (next.done !== true) return Promise.resolve(next)
      return new Promise((resolve) => {
        waiting.push(resolve)
        // The first call is served as soon as there is a value, and the others after it.
        if (waiting.length > 1) return
        if (pollable === undefined) open()
        else tryToServe(pollable)
      })
    },
    return: () => close(Exit.void),
    throw: closeFor
  }
}

export const iterable = <A>(stream: Stream.Stream<A>): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => makeIterator(stream)
})
