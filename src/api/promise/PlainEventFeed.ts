/** Event feeds of the plain door: over any async iterable of events, such as those of `execute` and `turn`. */
import { Effect, Exit, Predicate, Scope, Stream } from "effect"
import * as Feed from "../../agents/EventFeed.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { EventFeedOptions, PlainEventFeed, Stamped } from "../../contract/EventFeed.ts"
import { typeErrorAt } from "../../contract/errors/callSite.ts"
import { iterable } from "./iterable.ts"

const streamOf = (events: AsyncIterable<AgentEvent>) => Stream.orDie(Stream.fromAsyncIterable(events, (error) => error))

/** The events with their position and time. */
export const stamped = (events: AsyncIterable<AgentEvent>): AsyncIterable<Stamped> =>
  iterable(Feed.stamped(streamOf(events)))

/**
 * Starts reading the events, and buffers them for readers that come, leave and return. A slow or absent reader holds up
 * neither the source nor other readers.
 */
export const createEventFeed = (events: AsyncIterable<AgentEvent>, options: EventFeedOptions = {}): PlainEventFeed => {
  if (!Predicate.hasProperty(events, Symbol.asyncIterator)) {
    const problem = "the events are not an AsyncIterable, such as agent.execute(params) or session.events"
    throw typeErrorAt(createEventFeed, `event feed: ${problem}`)
  }
  const scope = Scope.makeUnsafe()
  const iterator = events[Symbol.asyncIterator]()
  const source = { [Symbol.asyncIterator]: () => iterator }
  const feed = Effect.runSync(Scope.provide(Feed.makeEventFeed(streamOf(source), options), scope))
  const close = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await iterator.return?.()
  }
  return {
    after: (position) => iterable(feed.after(position)),
    text: (lastEventId) => iterable(feed.text(lastEventId)),
    response: feed.response,
    ended: Effect.runPromise(feed.ended),
    close,
    [Symbol.asyncDispose]: close
  }
}
