/** Peers that mutual TLS admits; others are closed before a byte of theirs is read. */
import { once } from "node:events"
import { rmSync } from "node:fs"
import { type AddressInfo, connect as connectPlain, type Server, type Socket } from "node:net"
import { connect, type TLSSocket } from "node:tls"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { type Listening, makeListener } from "../../../src/cluster/wire/listener.ts"
import { authority, directory, read } from "./authority.ts"

const root = directory()
afterAll(() => rmSync(root, { recursive: true }))

const ours = authority(root, "ours")
const others = authority(root, "others")
const own = read(ours.sign("a", "DNS:home-a"))
const good = read(ours.sign("b", "DNS:home-b"))

const bad = [
  ["of another authority", () => ({ ...read(others.sign("b", "DNS:home-b")), ca: own.ca }), "not of the authority"],
  ["whose time is over", () => read(ours.sign("old", "DNS:home-b", 0)), "has expired"],
  ["of another home", () => read(ours.sign("x", "DNS:home-x")), "of another home: home-x"],
  ["that names its home as a common name alone", () => read(ours.sign("cn", undefined)), "names no home"],
  ["with a wildcard", () => read(ours.sign("wild", "DNS:*")), "names no home"],
  ["none at all", () => ({ ca: own.ca }), "shows no certificate"]
] as const

const opened: Array<{ destroy: () => void } | Server> = []
afterEach(() => {
  for (const each of opened.splice(0)) "destroy" in each ? each.destroy() : each.close()
})

const listen = async (limits: Partial<Listening> = {}) => {
  const peers: Array<TLSSocket> = []
  const refusals: Array<string> = []
  const waiting: Array<() => void> = []
  const wake = () => {
    for (const resume of waiting.splice(0)) resume()
  }
  const server = makeListener(
    {
      tls: own,
      isKnown: (home) => ["home-a", "home-b"].includes(home),
      onRefused: (_from, why) => {
        refusals.push(why)
        wake()
      },
      ...limits
    },
    (socket) => {
      opened.push(socket)
      peers.push(socket)
      wake()
    }
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  opened.push(server)
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise<void>((resume) => waiting.push(resume))
  }
  const { port } = server.address() as AddressInfo
  return { port, peers, refusals, until, at: { host: "127.0.0.1", port } }
}

const stored = <S extends Socket>(socket: S): S => {
  socket.on("error", () => {})
  opened.push(socket)
  return socket
}

/** However it ends. */
const gone = (socket: Socket) => new Promise<void>((resume) => socket.resume().once("close", () => resume()))

const skipName = { checkServerIdentity: () => undefined }

describe("a peer", () => {
  it("of a known home is admitted", async () => {
    const { at, peers, refusals, until } = await listen()
    stored(connect({ ...at, ...good, ...skipName })).write("hello")
    await until(() => peers.length + refusals.length > 0)
    expect(refusals).toEqual([])
    const received = once(peers[0] ?? expect.fail("no peer connected"), "data")
    peers[0]?.resume()
    expect(String(await received)).toBe("hello")
  })

  it.each(bad)("with a certificate %s is refused", async (_name, files, why) => {
    const { at, peers, refusals, until } = await listen()
    const socket = stored(connect({ ...at, ...files(), ...skipName }))
    const closed = gone(socket)
    socket.write("never read")
    await until(() => peers.length + refusals.length > 0)
    await closed
    expect([peers.length, refusals.length]).toEqual([0, 1])
    expect(refusals[0]).toContain(why)
  })

  it.each([
    ["plain words", "GET / HTTP/1.1\r\n\r\n", "its handshake failed"],
    ["bytes of no meaning", Buffer.alloc(70_000, 0xa5), "it does not speak TLS"]
  ])("that sends %s is refused", async (_name, bytes, why) => {
    const { at, peers, refusals, until } = await listen()
    const socket = stored(connectPlain(at))
    const closed = gone(socket)
    socket.write(bytes)
    await until(() => refusals.length > 0)
    await closed
    expect([peers.length, refusals]).toEqual([0, [why]])
  })

  it("that is silent is closed after a time limit", async () => {
    const { at, refusals, until } = await listen({ handshakeMs: 100 })
    const closed = gone(stored(connectPlain(at)))
    await until(() => refusals.length > 0)
    await closed
    expect(refusals).toEqual(["its handshake took too long"])
  })

  it("is refused beside too many silent ones, and admitted when one of them is gone", async () => {
    const { at, peers, refusals, until } = await listen({ mostHandshakes: 2 })
    const silent = [stored(connectPlain(at)), stored(connectPlain(at))]
    await Promise.all(silent.map((socket) => once(socket, "connect")))
    const third = stored(connectPlain(at))
    await gone(third)
    await until(() => refusals.length > 0)
    expect(refusals).toEqual(["too many handshakes are open"])
    for (const socket of silent) socket.destroy()
    await until(() => refusals.length === 3)
    stored(connect({ ...at, ...good, ...skipName }))
    await until(() => peers.length + refusals.length > 3)
    expect(peers.length).toBe(1)
  })
})
