/**
 * A WebSocket server over the `upgrade` event of `node:http` (RFC 6455): texts, fragments, pings and close codes, without
 * extensions. Beside that what a test needs: a socket that hangs, is cut, or gets any frame.
 */
import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { closeOf, closePayload, type Frame, opcodes, ProtocolError, readFrame, textOf, writeFrame } from "./frames.ts"
import type { ServerWebSocket } from "./serverWebSocket.ts"

export interface WebSocketHandlers {
  readonly text: (text: string) => void
  /** Called once. `code`: the client's; 1005 if it gave none, 1006 if the connection broke, else the code of `close`. */
  readonly closed?: (code: number, reason: string) => void
  /** The client answered a ping. */
  readonly pong?: (data: string) => void
}

export interface WebSocketOptions {
  /** Largest message of a client, with all its fragments. Default: 1,000,000 bytes, then 1009. */
  readonly mostBytes?: number
  /** After the close frames the connection is left to the client to end, as some services do. Default: false. */
  readonly lingers?: boolean
}

const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
const closingMs = 2_000

/** Answers an upgrade with an HTTP error, and ends the connection. */
export const refuseUpgrade = (socket: Duplex, status: number, reason: string, headers = "") => {
  socket.on("error", () => undefined)
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${headers}connection: close\r\ncontent-length: 0\r\n\r\n`)
}

const includes = (header: string | undefined, word: string) =>
  (header ?? "").split(",").some((part) => part.trim().toLowerCase() === word)

/** The answer to the client's key; undefined if the upgrade was refused. */
const keyFor = ({ method, headers }: IncomingMessage, socket: Duplex): string | undefined => {
  const key = headers["sec-websocket-key"] ?? ""
  const isUpgrade = includes(headers.upgrade, "websocket") && includes(headers.connection, "upgrade")
  if (method !== "GET" || !isUpgrade || !/^[A-Za-z0-9+/]{22}==$/.test(key)) refuseUpgrade(socket, 400, "Bad Request")
  else if (headers["sec-websocket-version"] !== "13")
    refuseUpgrade(socket, 426, "Upgrade Required", "sec-websocket-version: 13\r\n")
  else return createHash("sha1").update(`${key}${guid}`).digest("base64")
  return undefined
}

/** Reads whole messages out of chunks; throws a `ProtocolError`. */
const makeReader = (mostBytes: number, onMessage: (text: string) => void, onControl: (frame: Frame) => void) => {
  let bytes: Buffer = Buffer.alloc(0)
  let message: Buffer | undefined
  const take = (frame: Frame) => {
    const { opcode, payload, isLast } = frame
    if (opcode >= opcodes.close) return onControl(frame)
    if (opcode === opcodes.binary) throw new ProtocolError(1003, "only texts are taken")
    if ((opcode === opcodes.continuation) !== (message !== undefined))
      throw new ProtocolError(1002, "fragments are out of order")
    const all = message === undefined ? payload : Buffer.concat([message, payload])
    if (all.length > mostBytes) throw new ProtocolError(1009, `a message has more than ${mostBytes} bytes`)
    message = isLast ? undefined : all
    if (isLast) onMessage(textOf(all))
  }
  return (chunk: Buffer, isReading: () => boolean) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    for (;;) {
      const read = isReading() ? readFrame(bytes, mostBytes) : undefined
      if (read === undefined) return
      bytes = read.rest
      take(read.frame)
    }
  }
}

const upgrade = (
  socket: Duplex,
  head: Buffer,
  handlers: WebSocketHandlers,
  { mostBytes, lingers }: Required<WebSocketOptions>
): ServerWebSocket => {
  let state: "open" | "closing" | "closed" = "open"
  let isHanging = false
  let timer: NodeJS.Timeout | undefined
  let input = { code: 1006, reason: "" }
  const write = (frame: Buffer) => {
    if (!isHanging && socket.writable) socket.write(frame)
  }
  const ended = () => {
    if (state === "closed") return
    state = "closed"
    handlers.closed?.(input.code, input.reason)
  }
  const dropLater = () => {
    if (lingers) return
    timer ??= setTimeout(() => socket.destroy(), closingMs).unref()
  }
  const close = (code: number, reason: string) => {
    if (state !== "open" || isHanging) return
    state = "closing"
    input = { code, reason }
    write(writeFrame(opcodes.close, closePayload(code, reason)))
    dropLater()
  }
  const onControl = ({ opcode, payload }: Frame) => {
    if (opcode === opcodes.ping) return write(writeFrame(opcodes.pong, payload))
    if (opcode === opcodes.pong) return handlers.pong?.(payload.toString())
    const by = closeOf(payload)
    if (state === "open") {
      input = by
      write(writeFrame(opcodes.close, payload))
    }
    ended()
    if (!lingers) socket.end()
    dropLater()
  }
  const onMessage = (text: string) => {
    if (state === "open") handlers.text(text)
  }
  const read = makeReader(mostBytes, onMessage, onControl)
  const take = (chunk: Buffer) => {
    try {
      read(chunk, () => state !== "closed" && !isHanging)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      close(error.code, error.message)
      // All that comes behind a broken frame cannot be read.
      socket.end()
    }
  }

  socket.on("error", () => undefined)
  if (head.length > 0) socket.unshift(head)
  socket.on("data", take)
  // Sockets of `node:http` may be half open: a client that was killed would look alive.
  socket.on("end", () => socket.destroy())
  socket.on("close", () => {
    clearTimeout(timer)
    ended()
  })

  return {
    isOpen: () => state === "open" && !socket.destroyed,
    send: (text) => {
      if (state === "open") write(writeFrame(opcodes.text, Buffer.from(text)))
    },
    ping: (data = "") => write(writeFrame(opcodes.ping, Buffer.from(data))),
    close: (code = 1000, reason = "") => close(code, reason),
    cut: () => void socket.destroy(),
    hang: () => {
      isHanging = true
      socket.pause()
    },
    sendFrame: (opcode, payload = "", isLast = true) =>
      write(writeFrame(opcode, typeof payload === "string" ? Buffer.from(payload) : Buffer.from(payload), isLast))
  }
}

/** The sockets of one server. `node:http` closes none of them: `cutAll` does. */
export const makeWebSockets = ({ mostBytes = 1_000_000, lingers = false }: WebSocketOptions = {}) => {
  const connections = new Set<Duplex>()
  return {
    /** Answers an upgrade; undefined if it was refused. What the client sends before this returns is read later. */
    accept: (
      incoming: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      handlers: WebSocketHandlers
    ): ServerWebSocket | undefined => {
      const key = keyFor(incoming, socket)
      if (key === undefined) return undefined
      connections.add(socket)
      socket.once("close", () => connections.delete(socket))
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${key}\r\n\r\n`
      )
      return upgrade(socket, head, handlers, { mostBytes, lingers })
    },
    cutAll: () => {
      for (const socket of connections) socket.destroy()
    }
  }
}
