/** A client of a fake, as a test has it. */

/** One client. */
export interface ServerWebSocket {
  /** Neither side has closed it, and the connection is there. It may hang. */
  readonly isOpen: () => boolean
  readonly send: (text: string) => void
  readonly ping: (data?: string) => void
  /** Sends a close frame; the connection ends with the client's answer, or after 2 s. */
  readonly close: (code?: number, reason?: string) => void
  /** Breaks the connection without a close frame. */
  readonly cut: () => void
  /** From now on nothing is read, answered or sent, and the connection stays. */
  readonly hang: () => void
  /** Sends any frame, right or wrong. */
  readonly sendFrame: (opcode: number, payload?: string | Uint8Array, isLast?: boolean) => void
}
