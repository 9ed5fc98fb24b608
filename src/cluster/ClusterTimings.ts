/** The times of a cluster. */
import type { DurationInput } from "../contract/Input.ts"

export interface ClusterTimings {
  /** A machine that says nothing loses its home's lock after it. Default: 15 s. */
  readonly lock?: DurationInput | undefined
  /** Between looks at who is there. Default: 5 s. */
  readonly refresh?: DurationInput | undefined
  /** Between looks at whether others answer. Default: 10 s. */
  readonly health?: DurationInput | undefined
  /** Poll interval for changes in the database that no message announced. Default: 1 s. */
  readonly poll?: DurationInput | undefined
  /** For turns at work, when the machine is to stop. Default: 120 s. */
  readonly drain?: DurationInput | undefined
}

export const defaultTimings = {
  lock: "15 seconds",
  refresh: "5 seconds",
  health: "10 seconds",
  poll: "1 second",
  drain: "120 seconds"
} as const satisfies Required<ClusterTimings>

/** A home says that it is there. */
export const beatMs = 3_000

/** One that has said nothing for so long is taken to be down. */
export const downMs = 15_000

/** The most that the clocks of a machine and of the database may differ: budgets and reservations count by both. */
export const mostSkewMs = 30_000
