/** Traces of a campaign: the logs of its CLIs, the answers to its clients, and the rows of its store. */
import type { CliLine } from "../conversations/logs.ts"
import type { Broke } from "../storeHost.ts"

/** A line of a client. Times are of the machine's monotonic clock, in ms. */
export type ClientLine =
  | { readonly is: "asked"; readonly at: number; readonly turn: string }
  | {
      readonly is: "ended"
      readonly at: number
      readonly turn: string
      /** `completed`, or the code of its failure. */
      readonly outcome: string
      /** The same turn may be asked again. */
      readonly isRetryable?: boolean
      readonly text?: string
    }
  | Broke

export type Ended = Extract<ClientLine, { readonly is: "ended" }>

export interface TurnRow {
  readonly turn: string
  readonly conversation: string
  readonly seq: number
  readonly state: string
  /** Fields of its result; absent without one. */
  readonly text?: string
}

export interface Logs {
  /** Logs of all machines. */
  readonly cli: ReadonlyArray<CliLine>
  /** When the process of a CLI was last seen alive, by its pid. */
  readonly seen: ReadonlyMap<number, number>
  readonly clients: ReadonlyArray<ClientLine>
  readonly rows: ReadonlyArray<TurnRow>
  /** Processes that live after all runners and clients are gone. */
  readonly survivors: ReadonlyArray<string>
  /** Forbidden log lines of machines. */
  readonly problems: ReadonlyArray<string>
}
