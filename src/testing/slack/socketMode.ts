/** Socket Mode, as the other parts of the server use it. */
import type { ServerWebSocket } from "../webSocket/serverWebSocket.ts"
import type { Params } from "./params.ts"

/** Why Slack ends a socket: docs, Socket Mode. */
export type DisconnectReason = "warning" | "refresh_requested" | "link_disabled" | "too_many_websockets"

type EnvelopeType = "events_api" | "interactive" | "slash_commands"

export interface Envelope {
  readonly type: EnvelopeType
  readonly payload: Params
  readonly attempt: number
  /** Called with the socket's acknowledgement. */
  readonly acknowledged: (payload: Params | undefined) => void
  /** Called when there will be no further attempt. `isHeard`: a socket got the last one, and is still open. */
  readonly lost: (isHeard: boolean) => void
}

export interface SocketMode {
  /** The query of an address that opens one socket. */
  readonly ticket: (isShort: boolean) => string
  /** Returns the id of the envelope. */
  readonly deliver: (envelope: Omit<Envelope, "attempt">) => string
  readonly disconnect: (reason: DisconnectReason) => void
  readonly open: () => ReadonlyArray<ServerWebSocket>
  /** Payloads that wait for their acknowledgement, or for the next attempt. */
  readonly pending: () => ReadonlyArray<Params>
  readonly confirmed: () => number
}
