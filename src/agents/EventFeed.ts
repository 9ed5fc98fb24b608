/**
 * The events of a run or session for readers that come, leave and return: as Server-Sent Events over HTTP, or as a stream.
 * The feed reads its source at once: a slow or absent reader delays neither the source nor the other readers.
 */
import {
  Array as Arr,
  Cause,
  Clock,
  Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  FiberHandle,
  type Scope,
  Stream
} from "effect"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { EventFeedOptions, EventRequest, Stamped } from "../contract/EventFeed.ts"
import { untraced } from "../contract/untraced.ts"
import { abandoned, entryOf, missed, type Settings, settingsOf } from "./feed/entries.ts"
import { type Entry, frameOf, headers, heartbeat, lastEventIdIn, makeEventLog, positionOf } from "./feed/eventLog.ts"

/** The events with their position and time. */
export const stamped = <E, R>(events: Stream.Stream<AgentEvent, E, R>): Stream.Stream<Stamped, E, R> =>
  Stream.unwrap(
    Effect.map(Clock.Clock, (clock) =>
      Stream.mapAccumArray(
        events,
        () => 0,
        (count, chunk) => {
          const at = clock.currentTimeMillisUnsafe()
          const stamps = chunk.map((event, index) => ({ position: count + index + 1, at, event }))
          return [count + chunk.length, stamps] as const
        }
      )
    )
  )

/** Events that are kept for readers. When its scope closes, the events are left, and readers get what is kept. */
export interface EventFeed {
  /**
   * The events after a position (default: all): the stored ones, then new ones until the source ends. If some are no
   * longer stored, a `warning` notice tells how many are missing.
   */
  readonly after: (position?: number) => Stream.Stream<Stamped>
  /** Server-Sent Events behind the id that a client had last. */
  readonly text: (lastEventId?: string | null) => Stream.Stream<string>
  /**
   * The answer to a request for Server-Sent Events, from its `last-event-id` on. 204, which ends the reconnecting of an
   * EventSource, if the events have ended and the client has all.
   */
  readonly response: (request?: EventRequest) => Response
  /** Completes when the source has ended; stored events can still be read. */
  readonly ended: Effect.Effect<void>
}

/** Closes the source after an idle time without readers; the timer stops when the source ends. */
const makeReaders = Effect.fn(...untraced("EventFeed.makeReaders"))(function* (
  { abandonAfterMs }: Settings,
  abandon: (afterMs: number) => Effect.Effect<void>,
  over: Effect.Effect<void>
) {
  if (abandonAfterMs === undefined) return Effect.void
  const timer = yield* FiberHandle.make<void>()
  let count = 0
  const unread = Effect.andThen(Effect.sleep(abandonAfterMs), abandon(abandonAfterMs))
  const wait = FiberHandle.run(timer, Effect.raceFirst(unread, over))
  const leave = Effect.suspend(() => {
    count -= 1
    return count === 0 ? Effect.asVoid(wait) : Effect.void
  })
  const join = Effect.suspend(() => {
    count += 1
    return FiberHandle.clear(timer)
  })
  yield* wait
  return Effect.acquireRelease(join, () => leave)
})

/** Starts to read the events. */
export const makeEventFeed = Effect.fn(...untraced("EventFeed.makeEventFeed"))(function* <R>(
  events: Stream.Stream<AgentEvent, never, R>,
  options: EventFeedOptions = {}
): Effect.fn.Return<EventFeed, never, R | Scope.Scope> {
  const settings = settingsOf(options)
  const clock = yield* Clock.Clock
  const context = Context.make(Clock.Clock, clock)
  const log = makeEventLog(settings.keep, (oldest, count) => entryOf(missed(oldest, count), settings))
  let changed = Deferred.makeUnsafe<void>()
  let ended: Exit.Exit<unknown> | undefined

  const wake = () => {
    const before = changed
    changed = Deferred.makeUnsafe()
    Deferred.doneUnsafe(before, Exit.void)
  }
  const push = (entries: ReadonlyArray<Stamped>) => {
    for (const entry of entries) log.push(entryOf(entry, settings))
    wake()
  }
  const end = (exit: Exit.Exit<unknown>) => {
    ended = exit
    wake()
  }
  const source = yield* stamped(events).pipe(
    Stream.runForEachArray((chunk) => Effect.sync(() => push(chunk))),
    Effect.onExit((exit) => Effect.sync(() => end(exit))),
    Effect.forkScoped
  )
  const abandon = (afterMs: number) =>
    Effect.suspend(() => {
      if (ended !== undefined) return Effect.void
      push([{ position: log.last() + 1, at: clock.currentTimeMillisUnsafe(), event: abandoned(afterMs) }])
      return Fiber.interrupt(source)
    })
  const over = Effect.asVoid(Fiber.await(source))
  const reading = yield* makeReaders(settings, abandon, over)

  /** Returns the entries after a position; without any, waits with `waiting`, which may return something itself. */
  const read = <A>(
    from: number,
    make: (entry: Entry) => ReadonlyArray<A>,
    waiting: (change: Effect.Effect<void>) => Effect.Effect<ReadonlyArray<A>>
  ): Stream.Stream<A> => {
    let position = from
    const pull: Effect.Effect<Arr.NonEmptyReadonlyArray<A>, Cause.Done> = Effect.suspend(() => {
      const entries = log.after(position)
      position = entries.at(-1)?.stamped.position ?? position
      const values = entries.flatMap(make)
      if (Arr.isReadonlyArrayNonEmpty(values)) return Effect.succeed(values)
      if (entries.length > 0) return pull
      if (ended !== undefined) return isDefect(ended) ? Effect.die(Cause.squash(ended.cause)) : Cause.done()
      return Effect.flatMap(waiting(Deferred.await(changed)), (value) =>
        Arr.isReadonlyArrayNonEmpty(value) ? Effect.succeed(value) : pull
      )
    })
    return Stream.unwrap(Effect.as(reading, Stream.fromPull(Effect.succeed(pull))))
  }

  const silence = Effect.as(Effect.sleep(settings.heartbeatMs), [heartbeat])
  const frames = (position: number) =>
    Stream.concat(
      Stream.make(heartbeat),
      read(
        position,
        (entry) => [frameOf(entry)],
        (change) => Effect.raceFirst(Effect.as(change, []), silence)
      )
    )
  return {
    after: (position = 0) => {
      if (typeof position === "number" && position >= 0) {
        return read(
          position,
          ({ stamped }) => [stamped],
          (change) => Effect.as(change, [])
        )
      }
      throw new TypeError("event feed: the position is not a number from 0 on")
    },
    text: (lastEventId) => frames(positionOf(lastEventId, log.last())),
    response: (request) => {
      const position = positionOf(request && lastEventIdIn(request), log.last())
      if (ended !== undefined && position === log.last()) return new Response(null, { status: 204 })
      // One by one: a client that stalls holds the bytes of a frame or two, not those of a whole batch.
      const bytes = Stream.encodeText(Stream.rechunk(frames(position), 1))
      const body = Stream.toReadableStreamWith(bytes, context)
      return new Response(body, { headers })
    },
    ended: over
  }
})

/** A failure of the stream itself: events of an agent never fail. */
const isDefect = (exit: Exit.Exit<unknown>): exit is Exit.Failure<unknown, never> =>
  Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
