/** Event feeds of the plain door: over any async iterable of events, such as those of `execute` and `turn`. */
import { Effect, Exit, Scope, Stream } from "effect"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { EventFeedOptions, EventRequest, Stamped } from "../EventFeed.ts"
import * as Feed from "../EventFeed.ts"

const streamOf = (events: AsyncIterable<AgentEvent>) => Stream.orDie(Stream.fromAsyncIterable(events, (error) => error))

/** The events with their position and time. */
export const stamped = (events: AsyncIterable<AgentEvent>): AsyncIterable<Stamped> =>
  Stream.toAsyncIterable(Feed.stamped(streamOf(events)))

/** Events that are kept for readers. */
export interface PlainEventFeed extends AsyncDisposable {
  /**
   * The events behind a position, by default all: those that are kept, then those to come, until there are no more. For one
   * that is not kept any more, a notice `warning` tells how many are missing.
   */
  readonly after: (position?: number) => AsyncIterable<Stamped>
  /** Server-Sent Events behind the id that a client had last. */
  readonly text: (lastEventId?: string | null) => AsyncIterable<string>
  /**
   * The answer to a request for Server-Sent Events, from its `last-event-id` on. 204, which ends the reconnecting of an
   * EventSource, if the events have ended and the client has all.
   */
  readonly response: (request?: EventRequest) => Response
  /** Resolves when there are no more events to come; those that are kept can still be read. Never rejects. */
  readonly ended: Promise<void>
  /** Leaves the events, which ends a run or interrupts a turn, and waits for that. Readers get what is kept. */
  readonly close: () => Promise<void>
}

/**
 * Starts to read the events, and keeps them for readers that come, go and come back. A reader that leaves, or is slow, holds
 * up nobody.
 */
export const createEventFeed = (events: AsyncIterable<AgentEvent>, options: EventFeedOptions = {}): PlainEventFeed => {
  const scope = Scope.makeUnsafe()
  const iterator = events[Symbol.asyncIterator]()
  const source = { [Symbol.asyncIterator]: () => iterator }
  const feed = Effect.runSync(Scope.provide(Feed.makeEventFeed(streamOf(source), options), scope))
  const close = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await iterator.return?.()
  }
  return {
    after: (position) => Stream.toAsyncIterable(feed.after(position)),
    text: (lastEventId) => Stream.toAsyncIterable(feed.text(lastEventId)),
    response: feed.response,
    ended: Effect.runPromise(feed.ended),
    close,
    [Symbol.asyncDispose]: close
  }
}
