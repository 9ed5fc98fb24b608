/** One update of a session, as the client is sent it. */

/** Of `session/update`. */
export interface Update {
  readonly sessionUpdate: string
  readonly [field: string]: unknown
}
