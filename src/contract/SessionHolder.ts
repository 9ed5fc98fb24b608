/** The holder of a session: shown where somebody has to wait for it. */

/** Who uses a session or a conversation now. */
export interface SessionHolder {
  /** The process that holds it, as numbered on its host. */
  readonly pid: number
  /** The name of its host. */
  readonly host: string
  /** Since when, in ms since 1970. */
  readonly since: number
  /** The run or live session for which it is held. */
  readonly runId: string
}
