/** The words of event feeds: an event with its place in its stream, and who asks for events over HTTP. */
import type { AgentEvent } from "../contract/AgentEvent.ts"

/** An event with its place in its stream. */
export interface Stamped {
  /** Counted from 1 */
  readonly position: number
  /** When it arrived, in ms since 1970 */
  readonly at: number
  readonly event: AgentEvent
}

/** A request as the Fetch standard has it, or as Node's HTTP server does. */
export interface EventRequest {
  readonly headers:
    | { readonly get: (name: string) => string | null }
    | { readonly [name: string]: string | ReadonlyArray<string> | undefined }
}

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
