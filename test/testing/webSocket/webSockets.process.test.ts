/** The WebSocket server of the fakes, with Node's own client, and with bytes that no client would send. */
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { expect, it } from "vitest"
import type { ServerWebSocket } from "../../../src/testing/webSocket/serverWebSocket.ts"
import { makeWebSockets, refuseUpgrade, type WebSocketOptions } from "../../../src/testing/webSocket/webSockets.ts"

/** A server that echoes texts, and keeps what it hears. */
const open = async (options: WebSocketOptions = {}) => {
  const sockets = makeWebSockets(options)
  const accepted: Array<ServerWebSocket> = []
  const received: Array<string> = []
  const waiting = new Set<() => void>()
  const hear = (line: string) => {
    received.push(line)
    for (const wake of waiting) wake()
  }
  const http = createServer()
  http.on("upgrade", (incoming, socket, head) => {
    if (incoming.url === "/closed") return refuseUpgrade(socket, 404, "Not Found")
    const own = sockets.accept(incoming, socket, head, {
      text: (text) => {
        hear(text.length > 100 ? `${text.length} characters` : text)
        own?.send(`echo ${text}`)
      },
      pong: (data) => hear(`pong ${data}`),
      closed: (code, reason) => hear(`closed ${code} ${reason}`.trim())
    })
    if (own !== undefined) accepted.push(own)
  })
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const { port } = http.address() as AddressInfo
  const until = (line: string) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        if (received.includes(line)) resolve()
      }
      waiting.add(wake)
      wake()
    })
  const dispose = async () => {
    sockets.cutAll()
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  }
  return { port, url: `ws://127.0.0.1:${port}`, accepted, received, until, [Symbol.asyncDispose]: dispose }
}

interface SocketEvents {
  readonly open: Event
  readonly message: MessageEvent
  readonly close: CloseEvent
  readonly error: Event
}

const event = <K extends keyof SocketEvents>(socket: WebSocket, name: K) =>
  new Promise<SocketEvents[K]>((resolve) => {
    // The events of a name have the type of it.
    socket.addEventListener(name, (happened) => resolve(happened as SocketEvents[K]), { once: true })
  })

const connected = async (url: string) => {
  const socket = new WebSocket(url)
  await event(socket, "open")
  return socket
}

/** A frame of a client with any first byte. */
const masked = (first: number, payload: string | Buffer = "") => {
  const bytes = Buffer.from(payload)
  const mask = Buffer.from([1, 2, 3, 4])
  return Buffer.concat([
    Buffer.from([first, 0x80 | bytes.length]),
    mask,
    bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  ])
}

const upgrade = (more = "") =>
  `GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: keep-alive, Upgrade\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more || "sec-websocket-version: 13\r\n"}\r\n`

/** All bytes that a connection gets until its end, for the bytes that it writes. */
const raw = (port: number, ...parts: ReadonlyArray<string | Uint8Array>) =>
  new Promise<Buffer>((resolve) => {
    const chunks: Array<Buffer> = []
    const socket = connect(port, "127.0.0.1")
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.on("close", () => resolve(Buffer.concat(chunks)))
    socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array))))
  })

/** The frames behind the handshake. */
const framesOf = (bytes: Buffer) => bytes.subarray(bytes.indexOf("\r\n\r\n") + 4)
const closeCode = (bytes: Buffer) => {
  const frames = framesOf(bytes)
  return [frames[0], frames.readUInt16BE(2)]
}

it("exchanges texts of every length with Node's client, and ends with its code", async () => {
  await using server = await open()
  const socket = await connected(server.url)
  for (const length of [0, 125, 126, 65_535, 65_536, 300_000]) {
    const text = "ä".repeat(length / 2)
    socket.send(text)
    expect((await event(socket, "message")).data).toBe(`echo ${text}`)
  }
  socket.close(4_900, "enough")
  expect((await event(socket, "close")).code).toBe(4_900)
  await server.until("closed 4900 enough")
  expect(server.accepted[0]?.isOpen()).toBe(false)
})

it("closes with a code of its own, also at once", async () => {
  await using server = await open()
  const socket = await connected(server.url)
  server.accepted[0]?.close(4_004, "token refused")
  const { code, reason, wasClean } = await event(socket, "close")
  expect([code, reason, wasClean]).toEqual([4_004, "token refused", true])
  await server.until("closed 4004 token refused")
})

it("pings a client, is pinged, joins fragments, and reads what came with the handshake", async () => {
  await using server = await open()
  const bytes = await raw(
    server.port,
    upgrade(),
    masked(0x01, "one "),
    masked(0x89, "in between"),
    masked(0x00, "two "),
    masked(0x80, "three"),
    masked(0x88, Buffer.from([3, 232]))
  )
  expect(bytes.toString()).toContain("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n")
  const pong = "\x8a\x0ain between"
  expect(framesOf(bytes).toString("latin1")).toBe(`${pong}\x81\x12echo one two three\x88\x02\x03\xe8`)
  await server.until("closed 1000")
  await connected(server.url)
  server.accepted[1]?.ping("you?")
  await server.until("pong you?")
})

it("closes what breaks the protocol with the code for it", async () => {
  await using server = await open({ mostBytes: 1_000 })
  const long = Buffer.from([0x81, 0xfe, 0x04, 0x00])
  const cases: ReadonlyArray<readonly [number, Uint8Array]> = [
    [1002, Buffer.from([0x81, 0x01, 0x41])],
    [1002, masked(0xc1, "reserved bit")],
    [1002, masked(0x83, "unknown opcode")],
    [1002, masked(0x80, "nothing to continue")],
    [1002, Buffer.concat([masked(0x01, "one"), masked(0x81, "another")])],
    [1002, masked(0x09, "ping in fragments")],
    [1002, masked(0x88, Buffer.from([1]))],
    [1002, masked(0x88, Buffer.from([3, 237]))],
    [1003, masked(0x82, "binary")],
    [1007, masked(0x81, Buffer.from([0xff, 0xfe]))],
    [1009, long]
  ]
  for (const [code, bytes] of cases) expect(closeCode(await raw(server.port, upgrade(), bytes))).toEqual([0x88, code])
  const first = masked(0x01, "x".repeat(100))
  const more = Array.from({ length: 10 }, () => masked(0x00, "x".repeat(100)))
  expect(closeCode(await raw(server.port, upgrade(), first, ...more))).toEqual([0x88, 1009])
})

it("refuses what is not a handshake", async () => {
  await using server = await open()
  const statusOf = async (text: string) => (await raw(server.port, text)).toString().split("\r\n")[0]
  expect(await statusOf(upgrade("sec-websocket-version: 8\r\n"))).toBe("HTTP/1.1 426 Upgrade Required")
  expect(await statusOf(upgrade().replace("dGhl", ""))).toBe("HTTP/1.1 400 Bad Request")
  expect(await statusOf(upgrade().replace("GET / ", "GET /closed "))).toBe("HTTP/1.1 404 Not Found")
  const failing = new WebSocket(`${server.url}/closed`)
  await event(failing, "error")
  expect(server.accepted).toEqual([])
})

it("hangs: says nothing and answers nothing, while the connection stays", async () => {
  await using server = await open()
  const socket = await connected(server.url)
  const [own] = server.accepted
  own?.hang()
  socket.send("is someone there?")
  own?.send("no")
  own?.ping()
  const next = await connected(server.url)
  next.send("second")
  expect((await event(next, "message")).data).toBe("echo second")
  expect([own?.isOpen(), server.received]).toEqual([true, ["second"]])
  const closing = event(socket, "close")
  own?.cut()
  expect((await closing).code).toBe(1006)
})

it("sees that a client was killed, and breaks a connection itself", async () => {
  await using server = await open()
  const killed = connect(server.port, "127.0.0.1")
  killed.write(upgrade())
  await new Promise((resolve) => killed.once("data", resolve))
  killed.end()
  await server.until("closed 1006")
  const socket = await connected(server.url)
  server.accepted[1]?.cut()
  expect((await event(socket, "close")).code).toBe(1006)
})

it("sends frames that no server would send", async () => {
  await using server = await open()
  const socket = await connected(server.url)
  server.accepted[0]?.sendFrame(0x1, "in ", false)
  server.accepted[0]?.sendFrame(0x0, "two", true)
  expect((await event(socket, "message")).data).toBe("in two")
  server.accepted[0]?.sendFrame(0x7, "unknown")
  await event(socket, "error")
})

it("leaves the end of the connection to the client where it is told so", async () => {
  await using server = await open({ lingers: true })
  const killed = connect(server.port, "127.0.0.1")
  killed.write(upgrade())
  const chunk = () => new Promise<Buffer>((resolve) => killed.once("data", resolve))
  await chunk()
  killed.write(masked(0x88, Buffer.from([3, 232])))
  expect([...(await chunk())]).toEqual([0x88, 2, 3, 232])
  await server.until("closed 1000")
  expect(killed.readableEnded).toBe(false)
  const ended = new Promise((resolve) => killed.once("close", resolve))
  killed.end()
  await ended
})
