/**
 * Traces of a campaign: the log of its CLIs, the logs of its hosts, the files of its sessions, the rows of its store.
 */

import type { Kill } from "../hosts.ts"
import type { Broke } from "../storeHost.ts"

/** A line of a CLI. Times are of the machine's monotonic clock, in ms. */
export interface CliLine {
  readonly is: "begin" | "end" | "overlap"
  readonly at: number
  readonly turn: string
  readonly pid: number
  readonly host: number
  readonly session: string
  readonly resumed?: string
  readonly isFork?: boolean
  readonly seen?: number
  readonly other?: number
}

/** A line of a host. */
export type HostLine =
  | {
      readonly is: "asked"
      readonly at: number
      readonly turn: string
      readonly conversation: string
      readonly how: "wait" | "fail" | "fork" | "fresh" | "again"
    }
  | {
      readonly is: "ended"
      readonly at: number
      readonly turn: string
      /** `completed`, or the code of its failure. */
      readonly outcome: string
      readonly session?: string
      readonly text?: string
    }
  | {
      /** `changed` ends it, unless its host was killed in between. */
      readonly is: "changes"
      readonly at: number
      readonly what: "forget" | "fork" | "clear" | "read"
      /** For a fork, the session that it continues in. */
      readonly conversation: string
      readonly host: number
    }
  | {
      readonly is: "changed"
      readonly at: number
      readonly what: "forget" | "fork" | "clear" | "read"
      readonly conversation: string
      readonly host: number
      /** `done`, or the reason why it was refused. */
      readonly outcome: string
    }
  | Broke

export interface TurnRow {
  readonly turn_id: string
  readonly state: string
}

export interface Logs {
  readonly cli: ReadonlyArray<CliLine>
  readonly hosts: ReadonlyArray<HostLine>
  /** The turns of each session, as its file has them. */
  readonly histories: ReadonlyMap<string, ReadonlyArray<string>>
  readonly rows: ReadonlyArray<TurnRow>
  readonly kills: ReadonlyArray<Kill>
  /** `ok`, or what the database says of itself. */
  readonly integrity: string
  /** CLIs that live after all hosts are gone. */
  readonly survivors: number
}
