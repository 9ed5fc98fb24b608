/**
 * Listens for other machines by mutual TLS 1.3. A peer is passed on only after its handshake, with a certificate of this
 * cluster; until then only the handshake is decoded, with limits of time and number.
 */
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer, type TLSSocket } from "node:tls"
import { type PeerSeen, peerProblem, socketCode, wordsOf } from "./peer.ts"
import type { TlsFiles } from "./tlsFiles.ts"

export interface Listening {
  /** PEM, from `readTlsFiles`. */
  readonly tls: TlsFiles
  /** The homes of this cluster: a peer has a certificate of one of them. */
  readonly isKnown: (home: string) => boolean
  /** Called with the address of a refused peer, and the reason as the end of a sentence. */
  readonly onRefused: (from: string, why: string) => void
  /** Default: 5,000 ms. */
  readonly handshakeMs?: number | undefined
  /** Handshakes at once; one more is closed. Default: 64. */
  readonly mostHandshakes?: number | undefined
  /** Connections at once. Default: 1,024. */
  readonly mostConnections?: number | undefined
}

/** The same for both sockets of a connection, the raw one and that of TLS. */
const keyOf = ({ remoteAddress, remotePort }: Socket) =>
  remoteAddress === undefined ? "a peer that is gone" : `${remoteAddress} port ${remotePort}`

const peerOf = (socket: TLSSocket): PeerSeen => {
  const { subjectaltname, valid_to } = socket.getPeerCertificate()
  const error = socket.authorized ? undefined : String(socket.authorizationError)
  return valid_to === undefined
    ? { certificate: undefined, error }
    : { certificate: { subjectAltName: subjectaltname, validTo: Date.parse(valid_to) }, error }
}

/** The server is not yet bound to a port. `onPeer` gets paused sockets. */
export const makeListener = (listening: Listening, onPeer: (socket: TLSSocket) => void): Server => {
  const { tls, isKnown, onRefused, handshakeMs = 5000, mostHandshakes = 64 } = listening
  const open = new Set<string>()
  const secured = createTlsServer({
    ...tls,
    minVersion: "TLSv1.3",
    handshakeTimeout: handshakeMs,
    requestCert: true,
    // Node would close the connection without a reason: `peerProblem` refuses.
    rejectUnauthorized: false
  })
  secured.on("tlsClientError", (error, socket) => {
    onRefused(keyOf(socket), wordsOf(socketCode(error), "its handshake failed"))
    socket.destroy()
  })
  secured.on("secureConnection", (socket) => {
    socket.pause()
    const from = keyOf(socket)
    open.delete(from)
    const problem = peerProblem(peerOf(socket), isKnown, Date.now())
    if (problem === undefined) return onPeer(socket)
    socket.on("error", () => {})
    socket.destroy()
    onRefused(from, problem)
  })
  const server = createServer((raw) => {
    const from = keyOf(raw)
    raw.on("error", () => {})
    if (open.size >= mostHandshakes) {
      raw.destroy()
      return onRefused(from, "too many handshakes are open")
    }
    open.add(from)
    raw.once("close", () => open.delete(from))
    secured.emit("connection", raw)
  })
  server.maxConnections = listening.mostConnections ?? 1024
  return server
}
