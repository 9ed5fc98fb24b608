/** Traces of a campaign: the log of its CLIs, those of its hosts, the rows of its store, and samples of its budgets. */
import type { Budget } from "../../../src/contract/Budget.ts"
import type { Kill } from "../hosts.ts"
import type { Broke } from "../storeHost.ts"

/** A line of a CLI. Times are of the machine's monotonic clock, in ms; `spent` in micro-dollars, which are tokens, too. */
export interface CliLine {
  readonly is: "begin" | "spent" | "end"
  readonly at: number
  readonly run: string
  readonly spent: number
}

/** A line of a host: how a run ended. `run` of one that completed. */
export type HostLine =
  | { readonly is: "ready"; readonly at: number }
  | {
      readonly is: "ended"
      readonly at: number
      readonly run?: string
      readonly outcome: string
      readonly micros: number
    }
  | Broke

/** Judged rows of `usage_entries`. */
export interface EntryRow {
  readonly entry_id: string
  readonly at: number
  readonly run_id: string
  readonly cli: string
  readonly session_id: string | null
  readonly project: string | null
  readonly user_name: string | null
  readonly input: number | null
  readonly output: number | null
  readonly cache_read: number | null
  readonly cache_write: number | null
  readonly micros: number | null
  readonly assumed: number | null
  readonly source: string
  readonly billing: string
  readonly turns: number | null
}

export interface WindowRow {
  readonly window_key: string
  readonly budget: string
  readonly per: string
  readonly subject: string
  readonly unit: string
  readonly counts_assumed: number
  readonly billing: string | null
  readonly starts: number
  readonly ends: number | null
  readonly spent: number
  readonly reserved: number
}

export interface ReservationRow {
  readonly id: string
  readonly window_key: string
  readonly amount: number
}

/** A window over its limit when it was looked at. */
export interface Sample {
  readonly budget: string
  readonly subject: string
  readonly spent: number
  readonly reserved: number
}

export interface Logs {
  readonly cli: ReadonlyArray<CliLine>
  readonly hosts: ReadonlyArray<HostLine>
  readonly entries: ReadonlyArray<EntryRow>
  /** When all hosts had ended or were dead, before what they left was closed. */
  readonly left: { readonly windows: ReadonlyArray<WindowRow>; readonly reservations: ReadonlyArray<ReservationRow> }
  /** After it. */
  readonly windows: ReadonlyArray<WindowRow>
  readonly reservations: ReadonlyArray<ReservationRow>
  readonly open: number
  readonly samples: number
  readonly over: ReadonlyArray<Sample>
  readonly kills: ReadonlyArray<Kill>
  readonly integrity: string
}

/** Highest cost of a run of a host, in micro-dollars. */
export const mostOfRun = 50_000

/** For each project: a reservation equals the cost of a run, so that the limit holds to the last micro-dollar. */
export const stored = { name: "kept", per: "project", window: "total", usd: 0.6, reserve: mostOfRun / 1e6 } as const

/** For each user: runs spend more than they have reserved, and are stopped. */
export const raised = {
  name: "raised",
  per: "user",
  window: "total",
  usd: 0.4,
  reserve: 0.01,
  onExceeded: "stop"
} as const

export const zone = "Asia/Kathmandu"

export const budgets: ReadonlyArray<Budget> = [
  stored,
  raised,
  { name: "day", window: "day", usd: 1_000_000, reserve: 0.01 },
  { name: "lax", window: "month", usd: 1_000_000, reserve: 0.01, unpriced: "ignore" },
  { name: "tokens", window: "total", tokens: 1e12, reserve: 1000 },
  { name: "turns", window: "day", turns: 1e12, reserve: 1 },
  { name: "session", per: "session", window: "total", usd: 10, reserve: 0.01 }
]
