/** The socket server of a runner between machines: Effect's `SocketServer` over the peers of `listener.ts`. */
import type { AddressInfo } from "node:net"
import type { TLSSocket } from "node:tls"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { NetAddress } from "effect/net"
import { type Socket, SocketServer } from "effect/socket"
import { untraced } from "../../contract/untraced.ts"
import { type Listening, makeListener } from "./listener.ts"
import { refusalLog } from "./peer.ts"

interface TlsServerOptions extends Omit<Listening, "onRefused"> {
  readonly host: string
  readonly port: number
}

const openError = (cause: unknown) =>
  new SocketServer.SocketServerError({ reason: new SocketServer.SocketServerOpenError({ cause }) })

const released = (conn: TLSSocket) =>
  Effect.sync(() => {
    if (!conn.closed) conn.destroySoon()
  })

const make = Effect.fn(...untraced("TlsServer.make"))(function* ({ host, port, ...listening }: TlsServerOptions) {
  const onRefused = yield* refusalLog("refused a machine")
  const connections = new Set<TLSSocket>()
  const early: Array<TLSSocket> = []
  let handle: (socket: TLSSocket) => void = (socket) => void early.push(socket)
  const server = makeListener({ ...listening, onRefused }, (socket) => {
    connections.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => connections.delete(socket))
    handle(socket)
  })
  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => {
      for (const socket of connections) socket.destroy()
      server.close(() => resume(Effect.void))
    })
  )
  yield* Effect.callback<void, SocketServer.SocketServerError>((resume) => {
    server.once("error", (cause) => resume(Effect.fail(openError(cause))))
    server.listen({ host, port }, () => resume(Effect.void))
  })

  const run = Effect.fn(...untraced("TlsServer.run"))(function* <R, E, _>(
    handler: (socket: Socket.Socket) => Effect.Effect<_, E, R>
  ) {
    const scope = yield* Scope.make()
    const context = yield* Effect.context<R>()
    const tracked = Fiber.runIn(scope)
    const before = handle
    handle = (conn) => {
      const socket = NodeSocket.fromDuplex(Effect.acquireRelease(Effect.succeed(conn), released), { tlsServer: true })
      const handled = Effect.ignoreCause(Effect.flatMap(socket, handler), { log: "Debug" })
      tracked(Effect.runForkWith(Context.add(context, NodeSocket.NetSocket, conn))(handled))
    }
    for (const conn of early.splice(0)) handle(conn)
    return yield* Effect.never.pipe(
      Effect.ensuring(
        Effect.suspend(() => {
          handle = before
          return Scope.close(scope, Exit.void)
        })
      )
    )
  })

  // A TCP server that listens has an address of this form.
  const bound = server.address() as AddressInfo
  const address = yield* Effect.fromResult(NetAddress.inetAddressFromIpString(bound.address, bound.port)).pipe(
    Effect.mapError(openError)
  )
  return SocketServer.SocketServer.of({ address, run })
})

/** Takes the place of `NodeClusterSocket.layerSocketServer`. Port 0: any free one. */
export const layerTlsServer = (
  options: TlsServerOptions
): Layer.Layer<SocketServer.SocketServer, SocketServer.SocketServerError> =>
  Layer.effect(SocketServer.SocketServer, make(options))
