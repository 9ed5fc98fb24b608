/**
 * The gateway: HELLO, IDENTIFY or RESUME, heartbeats, events with their sequence, and the ways in which a connection ends
 * (topics/gateway, topics/opcodes-and-status-codes). Knows no wire: a socket sends texts.
 */
import type { Calls } from "../telegram/calls.ts"
import { isRecord } from "../telegram/params.ts"
import { Refusal as CallRefusal } from "../telegram/refusal.ts"
import { closes, intents, limits } from "./limits.ts"
import type { Fields } from "./params.ts"
import type { Sent, Session } from "./sessions.ts"
import type { World } from "./world.ts"

/** One connection, as the gateway uses it. */
export interface GatewaySocket {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Breaks the connection without a close frame. */
  readonly cut: () => void
  /** The connection stays, and is dead. */
  readonly hang: () => void
}

export interface GatewayParts {
  readonly world: World
  readonly calls: Calls
  readonly token: string
  readonly heartbeatMs: number
  readonly isRevoked: () => boolean
  readonly revoke: () => void
  readonly notify: () => void
  /** The servers of the bot, for GUILD_CREATE. */
  readonly guildsOf: () => ReadonlyArray<{ readonly id: string }>
}

const ops = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  heard: 11
} as const

interface Connection {
  readonly socket: GatewaySocket
  session: Session | undefined
  forget: () => void
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const makeGateway = (parts: GatewayParts) => {
  const { world, calls, token, heartbeatMs, isRevoked, revoke, notify, guildsOf } = parts
  const { clock, sessions, me } = world
  const open = new Set<Connection>()

  const violate = (what: string) => calls.violate("gateway", new CallRefusal(400, what, { broken: "pace" }))

  const connect = (socket: GatewaySocket) => {
    let frames: ReadonlyArray<number> = []
    const connection: Connection = { socket, session: undefined, forget: () => undefined }
    open.add(connection)

    const send = (op: number, d: unknown, more: Fields = {}) => {
      socket.send(JSON.stringify({ op, d, s: null, t: null, ...more }))
    }
    const dispatch = ({ seq, t, d }: Sent) => send(ops.dispatch, d, { s: seq, t })

    const left = () => {
      connection.forget()
      open.delete(connection)
      const { session } = connection
      if (session?.listener !== undefined && session.listener === listener) {
        session.listener = undefined
        session.leftAt = clock.now()
      }
      notify()
    }
    const close = (code: number, reason: string) => {
      socket.close(code, reason)
      left()
    }
    const listener = { send: dispatch, close }

    /** Without a heartbeat for longer than that the connection is dead. */
    const expectHeartbeat = () => {
      connection.forget()
      connection.forget = clock.at(clock.now() + heartbeatMs * 1.5, () => close(closes.timedOut, "Session timed out."))
    }

    const invalidate = (isResumable: boolean) => {
      if (!isResumable && connection.session !== undefined) sessions.end(connection.session.id)
      send(ops.invalid, isResumable)
    }

    const take = (session: Session) => {
      session.listener?.close(closes.sequence, "Another connection took the session.")
      session.listener = listener
      connection.session = session
    }

    const identify = (data: Fields) => {
      if (connection.session !== undefined) return close(closes.authenticatedTwice, "Already authenticated.")
      if (data["token"] !== token || isRevoked()) return close(closes.token, "Authentication failed.")
      const target = data["intents"]
      if (typeof target !== "number" || !Number.isSafeInteger(target))
        return close(closes.intents, "Invalid intent(s).")
      if ((target & intents.messageContent) !== 0 && !world.hasContent)
        return close(closes.disallowedIntents, "Disallowed intent(s).")
      const request = sessions.identify()
      if (request === "spent") {
        violate("more than 1,000 IDENTIFYs a day")
        revoke()
        return close(closes.token, "Authentication failed.")
      }
      if (request === "soon") {
        violate("a second IDENTIFY within 5 s")
        return invalidate(false)
      }
      const session = sessions.open(target, listener)
      connection.session = session
      sessions.emit(session, "READY", {
        v: 10,
        user: me,
        guilds: guildsOf().map(({ id }) => ({ id, unavailable: true })),
        session_id: session.id,
        resume_gateway_url: world.address.url.replace(/^http/, "ws"),
        application: { id: me.id, flags: 0 }
      })
      if ((target & intents.guilds) !== 0) for (const guild of guildsOf()) sessions.emit(session, "GUILD_CREATE", guild)
    }

    const resume = (data: Fields) => {
      if (connection.session !== undefined) return close(closes.authenticatedTwice, "Already authenticated.")
      if (data["token"] !== token || isRevoked()) return close(closes.token, "Authentication failed.")
      const { seq } = data
      const session = sessions.find(String(data["session_id"]))
      if (session === undefined) return invalidate(false)
      if (typeof seq !== "number" || seq < 0 || seq > session.events.length)
        return close(closes.sequence, "Invalid sequence.")
      take(session)
      for (const event of session.events.slice(seq)) dispatch(event)
      // As any event it has a number of its own.
      sessions.emit(session, "RESUMED", {})
    }

    /** A frame of the client. */
    const receive = (text: string) => {
      frames = [...frames.filter((at) => at > clock.now() - limits.frames.spanMs), clock.now()]
      if (frames.length > limits.frames.most) {
        violate("more than 120 frames a minute")
        return close(closes.rate, "Rate limited.")
      }
      const frame = jsonOf(text)
      if (!isRecord(frame)) return close(closes.decode, "Error while decoding payload.")
      const { op } = frame
      const data = isRecord(frame["d"]) ? frame["d"] : {}
      if (op === ops.heartbeat) {
        expectHeartbeat()
        send(ops.heard, null)
      } else if (op === ops.identify) identify(data)
      else if (op === ops.resume) resume(data)
      else if (connection.session === undefined) close(closes.notAuthenticated, "Not authenticated.")
      else if (op !== 3 && op !== 4 && op !== 8) close(closes.unknownOpcode, "Unknown opcode.")
      notify()
    }

    send(ops.hello, { heartbeat_interval: heartbeatMs, _trace: [] })
    expectHeartbeat()
    notify()
    return {
      receive,
      /** The client has gone. 1000 and 1001 end its session; undefined without a code. */
      closed: (code: number | undefined) => {
        // The server has closed it: the client's code is an echo.
        if (!open.has(connection)) return
        if ((code === 1_000 || code === 1_001) && connection.session !== undefined) sessions.end(connection.session.id)
        left()
      },
      invalidate,
      send,
      close,
      connection
    }
  }

  const all = new Set<ReturnType<typeof connect>>()
  const each = (act: (one: ReturnType<typeof connect>) => void) => {
    for (const one of [...all]) if (open.has(one.connection)) act(one)
  }

  return {
    connect: (socket: GatewaySocket) => {
      const one = connect(socket)
      all.add(one)
      return {
        receive: one.receive,
        closed: (code: number | undefined) => {
          all.delete(one)
          one.closed(code)
        }
      }
    },
    /** Connections with a session. */
    listeners: () => [...open].filter(({ session }) => session !== undefined).length,
    /** Open connections. */
    connections: () => open.size,
    identifies: sessions.identifies,
    /** Closes every connection with a code; without one it breaks. */
    cut: (code?: number) =>
      each((one) => (code === undefined ? one.connection.socket.cut() : one.close(code, "Closed."))),
    /** Asks every client to connect anew and to resume. */
    reconnect: () => each((one) => one.send(ops.reconnect, null)),
    /** Tells every client that its session is over, or that it may try to resume it. */
    invalidate: (isResumable = false) => each((one) => one.invalidate(isResumable)),
    /** Asks every client for a heartbeat at once. */
    askHeartbeat: () => each((one) => one.send(ops.heartbeat, null)),
    /** The connections of now stay open, and are dead. */
    freeze: () => each(({ connection }) => connection.socket.hang()),
    /** Sessions without a connection are over. */
    forget: () => {
      for (const { id, listener } of sessions.all()) if (listener === undefined) sessions.end(id)
    },
    /** Every session gets a made-up event. */
    hear: (t: string, d: unknown) => sessions.tell(t, () => d),
    revoked: () => each((one) => one.close(closes.token, "Authentication failed."))
  }
}

export type Gateway = ReturnType<typeof makeGateway>
