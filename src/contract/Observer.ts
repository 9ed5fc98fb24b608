/** Observers get every run, live session and turn (recordings, spans, counters), and cannot influence or delay it. */
import type { AgentEvent } from "./AgentEvent.ts"
import type { End, Start } from "./Start.ts"

/** The events of one chunk of the process's output, in order. */
export interface ObservedEvents {
  /** Index of the first event among all of the run, session or turn, from 0, also of types that were not requested. */
  readonly position: number
  /** Milliseconds since 1970. */
  readonly atMs: number
  /** As the consumer gets them. */
  readonly events: ReadonlyArray<AgentEvent>
}

/** The same for the output lines of the CLI, with secrets redacted. */
export interface ObservedLines extends Omit<ObservedEvents, "events"> {
  /** Without line breaks. */
  readonly lines: ReadonlyArray<string>
}

/** The callbacks of an observer for one run, session or turn. Called synchronously, in order, with copies. */
export interface Observation {
  /** The requested types of events. An observer without deltas costs next to nothing. Default: all. */
  readonly types?: ReadonlyArray<AgentEvent["type"]>
  /** The events that the consumer gets, including `done` or `turn_done`; for a session those of all its turns. */
  readonly events?: (observed: ObservedEvents) => void
  /** The output lines of runs and sessions. Collected only if an observer has this callback. */
  readonly lines?: (observed: ObservedLines) => void
  /** The last call. Lines that a process prints while it exits may still come before it. */
  readonly end?: (end: End) => void
}

/** Gets every run, live session and turn of an agent. */
export interface Observer {
  /** Its name in the log. */
  readonly name: string
  /**
   * Called when the parameters are accepted, before the gates are asked. Returns undefined to ignore this start. An
   * observer that throws, here or later, is dropped for this run, session or turn. Must not be asynchronous. `redact`
   * removes the secrets of the run from a text, such as answers and outputs of tools.
   */
  readonly begin: (start: Start, redact: (text: string) => string) => Observation | undefined
}
