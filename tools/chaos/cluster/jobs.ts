/** The argument of each program of a campaign, as JSON. */

/** The line by which a runner says that it takes turns. */
export const serving = "serving"

interface Address {
  readonly host: string
  readonly port: number
}

export interface RunnerJob {
  /** Number of this machine, among all. */
  readonly home: string
  /** Folder of its CLI's sessions. */
  readonly directory: string
  /** Its URL. */
  readonly database: string
  readonly listen: Address
  /** By which the others reach it. */
  readonly advertise: Address
}

export interface ClientJob {
  readonly database: string
}

/** A line of the stdin of a client. */
export interface Question {
  readonly turn: string
  readonly conversation: string
  readonly prompt: string
}

/** Short ones: what takes a quarter of a minute on machines takes 4 s in a campaign. */
export const timings = {
  lock: "4 seconds",
  refresh: "1 second",
  health: "2 seconds",
  poll: "250 millis",
  drain: "20 seconds"
} as const
