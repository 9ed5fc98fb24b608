/** The words of event feeds: an event with its place in its stream, and who asks for events over HTTP. */
import type { AgentEvent } from "./AgentEvent.ts"

/** An event with its place in its stream. */
export interface Stamped {
  /** Counted from 1 */
  readonly position: number
  /** When it arrived, in ms since 1970 */
  readonly at: number
  /** The event itself */
  readonly event: AgentEvent
}

/** A request as the Fetch standard has it, or as Node's HTTP server does. */
export interface EventRequest {
  /** By name, in any case */
  readonly headers:
    | { readonly get: (name: string) => string | null }
    | { readonly [name: string]: string | ReadonlyArray<string> | undefined }
}

/** How a feed keeps and sends events. */
export interface EventFeedOptions {
  /**
   * Size of the events that are kept for readers, as JSON in UTF-16 code units. Beyond it the oldest are dropped; a reader
   * that needs them gets a notice. The last event is always kept. Default: 16,777,216
   */
  readonly keep?: number
  /** A comment is sent when nothing else was for this long, so that a connection is not taken for dead. Default: 15,000 */
  readonly heartbeatMs?: number
  /** Leaves the events, which ends a run or interrupts a turn, if nobody reads for this long. Default: never */
  readonly abandonAfterMs?: number
  /** What is sent for an event: a value that JSON can hold, or undefined to send nothing. Default: the event */
  readonly encode?: (stamped: Stamped) => unknown
}

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
