/**
 * Streams whose values wait in memory can be read without Effect's interpreter: a reader takes what is there, and is called
 * when there is more. stdout, the plain door and `run` are read so, which saves up to three fibers a chunk; to all others it
 * is a Stream.
 */
import { Array as Arr, Cause, Effect, Exit, Fiber, type Scope, Stream } from "effect"

/** For one reader. */
export interface Pollable<A> {
  /** All that waits, or a part of it. Empty: nothing yet; undefined: nothing follows. Throws what ended it as a defect. */
  readonly poll: () => ReadonlyArray<A> | undefined
  /** Calls back once when `poll` may give something else. Only the last callback counts. */
  readonly onReady: (callback: () => void) => void
}

type Open<A> = Effect.Effect<Pollable<A>, never, Scope.Scope>

/** A stream that was opened without a fiber. */
export interface OpenedNow<A> {
  readonly pollable: Pollable<A>
  /** Gives what is to be run at the end; undefined for nothing. */
  readonly close: () => Effect.Effect<void> | undefined
}

/** Undefined where it cannot be opened without waiting. */
type OpenNow<A> = () => OpenedNow<A> | undefined

const open: unique symbol = Symbol("reins/pollable")
const now: unique symbol = Symbol("reins/pollableNow")

/** On the streams themselves: an entry of a WeakMap for each turn would cost more than the rest of its beginning. */
interface Known<A> {
  [open]?: Open<A>
  [now]?: OpenNow<A>
}

const withOpen = <A>(stream: Stream.Stream<A> & Known<A>, effect: Open<A>): Stream.Stream<A> => {
  stream[open] = effect
  return stream
}

/** Over whole chunks. */
export const pollableStream = <A>(pollable: Pollable<A>): Stream.Stream<A> => {
  const ready = Effect.callback<void>((resume) => pollable.onReady(() => resume(Effect.void)))
  const pull: Effect.Effect<Arr.NonEmptyReadonlyArray<A>, Cause.Done> = Effect.suspend(() => {
    const values = pollable.poll()
    if (values === undefined) return Cause.done()
    return Arr.isReadonlyArrayNonEmpty(values) ? Effect.succeed(values) : Effect.andThen(ready, pull)
  })
  return withOpen(Stream.fromPull(Effect.succeed(pull)), Effect.succeed(pollable))
}

/** `Stream.unwrap`, of a stream that may be pollable. */
export const unwrapPollable = <A>(effect: Effect.Effect<Stream.Stream<A>, never, Scope.Scope>): Stream.Stream<A> =>
  withOpen(Stream.unwrap(effect), Effect.flatMap(effect, openPollable))

/** The stream, for readers that open it without a fiber where that is possible. */
export const withImmediate = <A>(stream: Stream.Stream<A> & Known<A>, openNow: OpenNow<A>): Stream.Stream<A> => {
  stream[now] = openNow
  return stream
}

export const openNow = <A>(stream: Stream.Stream<A> & Known<A>): OpenedNow<A> | undefined => stream[now]?.()

/** Opens any stream: one that is not pollable gets a fiber for each chunk, which pulls when nothing is left. */
export const openPollable = <A>(stream: Stream.Stream<A> & Known<A>): Open<A> => stream[open] ?? pulled(stream)

const pulled = Effect.fnUntraced(function* <A>(stream: Stream.Stream<A>) {
  const pull = yield* Stream.toPull(stream)
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let values: ReadonlyArray<A> = []
  let exit: Exit.Exit<unknown, unknown> | undefined
  let pulling: Fiber.Fiber<ReadonlyArray<A>, Cause.Done> | undefined
  let ready: (() => void) | undefined
  yield* Effect.addFinalizer(() => (pulling === undefined ? Effect.void : Fiber.interrupt(pulling)))

  const arrive = (arrived: Exit.Exit<ReadonlyArray<A>, Cause.Done>) => {
    pulling = undefined
    if (Exit.isSuccess(arrived)) values = arrived.value
    else exit = Cause.hasFails(arrived.cause) ? Exit.void : arrived
    const callback = ready
    ready = undefined
    callback?.()
  }
  const take = () => {
    const taken = values
    values = []
    return taken
  }
  const pollable: Pollable<A> = {
    poll: () => {
      // Both are there at once where the stream has not to wait.
      if (values.length === 0 && exit === undefined && pulling === undefined) {
        pulling = fork(pull)
        pulling.addObserver(arrive)
      }
      if (values.length > 0 || exit === undefined) return take()
      if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
      return undefined
    },
    onReady: (callback) => {
      ready = callback
    }
  }
  return pollable
})

/** Calls back with whatever is there, until nothing follows. What that throws is a defect. */
export const drain = <A>(pollable: Pollable<A>, onValues: (values: ReadonlyArray<A>) => void): Effect.Effect<void> =>
  Effect.callback((resume) => {
    let isLeft = false
    const read = () => {
      if (isLeft) return
      try {
        for (let values = pollable.poll(); ; values = pollable.poll()) {
          if (values === undefined) return resume(Effect.void)
          if (values.length === 0) return pollable.onReady(read)
          onValues(values)
        }
      } catch (error) {
        resume(Effect.die(error))
      }
    }
    read()
    return Effect.sync(() => {
      isLeft = true
    })
  })
