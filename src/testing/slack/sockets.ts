/**
 * Socket Mode: addresses that open one socket each, envelopes dealt to the sockets at random, acknowledged within 3 s by the
 * socket that got them, and sent again after 0, 60 and 300 s; presses and commands once (docs: Socket Mode, Events API).
 */
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { ServerClock } from "../telegram/clock.ts"
import type { ServerWebSocket } from "../webSocket/serverWebSocket.ts"
import { makeWebSockets, refuseUpgrade } from "../webSocket/webSockets.ts"
import { limits } from "./limits.ts"
import { isRecord } from "./params.ts"
import type { DisconnectReason, Envelope, SocketMode } from "./socketMode.ts"

export interface SocketParts {
  readonly clock: ServerClock
  readonly appId: string
  /** ≥ 0, < 1: which socket gets an envelope. */
  readonly random: () => number
  readonly notify: () => void
}

export const makeSockets = ({ clock, appId, random, notify }: SocketParts): Sockets => {
  // Slack does not end the connection after the close frames: release notes of @slack/socket-mode 3.2.0.
  const server = makeWebSockets({ lingers: true })
  const tickets = new Map<string, { readonly until: number; readonly isShort: boolean }>()
  const open = new Set<ServerWebSocket>()
  /** By the id of the envelope. */
  const waiting = new Map<string, Envelope & { readonly socket: ServerWebSocket | undefined }>()
  let confirmed = 0

  const alive = () => [...open].filter((socket) => socket.isOpen())

  const send = (envelope: Envelope) => {
    const { type, payload, attempt } = envelope
    const sockets = alive()
    const socket = sockets[Math.floor(random() * sockets.length)]
    const id = randomUUID()
    waiting.set(id, { ...envelope, socket })
    socket?.send(
      JSON.stringify({
        envelope_id: id,
        payload,
        type,
        accepts_response_payload: type === "slash_commands",
        ...(type === "events_api" ? { retry_attempt: attempt, retry_reason: attempt === 0 ? "" : "timeout" } : {})
      })
    )
    const fail = () => {
      if (!waiting.has(id)) return
      // An acknowledgement that comes later is not taken.
      waiting.set(id, { ...envelope, socket: undefined })
      const again = type === "events_api" ? limits.acknowledgement.againMs[attempt] : undefined
      if (again !== undefined) {
        return void clock.at(clock.now() + again, () => {
          if (!waiting.delete(id)) return
          send({ ...envelope, attempt: attempt + 1 })
          notify()
        })
      }
      waiting.delete(id)
      envelope.lost(socket?.isOpen() ?? false)
      notify()
    }
    if (socket === undefined) fail()
    else clock.at(clock.now() + limits.acknowledgement.withinMs, fail)
    return id
  }

  const hear = (socket: ServerWebSocket, text: string) => {
    let frame: unknown
    try {
      frame = JSON.parse(text)
    } catch {
      return
    }
    if (!isRecord(frame)) return
    const { envelope_id: id, payload } = frame
    if (typeof id !== "string") return
    const envelope = waiting.get(id)
    // Another socket's acknowledgement is not taken.
    if (envelope?.socket !== socket) return
    waiting.delete(id)
    confirmed++
    envelope.acknowledged(isRecord(payload) ? payload : undefined)
    notify()
  }

  const pings = (socket: ServerWebSocket) => {
    clock.at(clock.now() + limits.sockets.pingMs, () => {
      if (!socket.isOpen()) return
      socket.ping(`Ping from applink-${clock.now()}`)
      pings(socket)
    })
  }

  const say = (socket: ServerWebSocket, reason: DisconnectReason) => {
    socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink-test" } }))
    if (reason === "link_disabled" || reason === "too_many_websockets") return socket.close(1000)
    if (reason === "refresh_requested") clock.at(clock.now() + limits.sockets.closedAfterMs, () => socket.close(1000))
  }

  const accept = (incoming: IncomingMessage, stream: Duplex, head: Buffer) => {
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1")
    const id = url.searchParams.get("ticket") ?? ""
    const ticket = tickets.get(id)
    tickets.delete(id)
    if (url.pathname !== "/link/") return refuseUpgrade(stream, 404, "Not Found")
    if (ticket === undefined || ticket.until <= clock.now()) return refuseUpgrade(stream, 401, "Unauthorized")
    const socket = server.accept(incoming, stream, head, {
      text: (text) => socket !== undefined && hear(socket, text),
      closed: () => {
        if (socket !== undefined) open.delete(socket)
        notify()
      }
    })
    if (socket === undefined) return
    if (alive().length >= limits.sockets.most) return say(socket, "too_many_websockets")
    open.add(socket)
    socket.send(
      JSON.stringify({
        type: "hello",
        num_connections: alive().length,
        debug_info: {
          host: "applink-test",
          build_number: 1,
          approximate_connection_time: ticket.isShort ? 360 : 18_060
        },
        connection_info: { app_id: appId }
      })
    )
    pings(socket)
    notify()
  }

  return {
    accept,
    cutAll: server.cutAll,
    /** The query of an address that opens one socket. */
    ticket: (isShort: boolean): string => {
      const id = randomUUID()
      tickets.set(id, { until: clock.now() + limits.sockets.ticketMs, isShort })
      return `ticket=${id}&app_id=${appId}`
    },
    deliver: (envelope: Omit<Envelope, "attempt">) => send({ ...envelope, attempt: 0 }),
    disconnect: (reason: DisconnectReason) => {
      for (const socket of alive()) say(socket, reason)
    },
    open: alive,
    /** Payloads that wait for their acknowledgement, or for the next attempt. */
    pending: () => [...waiting.values()].map(({ payload }) => payload),
    confirmed: () => confirmed
  }
}

export interface Sockets extends SocketMode {
  readonly accept: (incoming: IncomingMessage, stream: Duplex, head: Buffer) => void
  readonly cutAll: () => void
}
