/** Feeds of events with their places in a stream, and requests for them over HTTP. */
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
   * Maximum size of the kept events, as JSON in UTF-16 code units. The oldest are dropped, with a notice to a reader
   * that needs them; the last is always kept. Default: 16,777,216
   */
  readonly keep?: number
  /** Time without events after which a comment is sent, so that a connection is not taken for dead. Default: 15,000 */
  readonly heartbeatMs?: number
  /** Time without readers after which the source is closed, which ends a run or interrupts a turn. Default: never */
  readonly abandonAfterMs?: number
  /** Returns the JSON value to send for an event, or undefined to send nothing. Default: the event */
  readonly encode?: (stamped: Stamped) => unknown
}

/** Events that are kept for readers. */
export interface PlainEventFeed extends AsyncDisposable {
  /**
   * The events behind a position, by default all: the kept ones, then new ones, until the source ends. A notice
   * `warning` has the number of dropped ones.
   */
  readonly after: (position?: number) => AsyncIterable<Stamped>
  /** Server-Sent Events behind the last id that a client received. */
  readonly text: (lastEventId?: string | null) => AsyncIterable<string>
  /**
   * Answers a request for Server-Sent Events, from its `last-event-id` on. 204, which ends the reconnecting of an
   * EventSource, if the events have ended and the client has all.
   */
  readonly response: (request?: EventRequest) => Response
  /** Resolves when the source has ended; events that are kept can still be read. Never rejects. */
  readonly ended: Promise<void>
  /** Closes the source, which ends a run or interrupts a turn, and waits for that. Readers get the events that are kept. */
  readonly close: () => Promise<void>
}
