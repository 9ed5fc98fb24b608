/** Connections of a runner or a client to runners: by mutual TLS 1.3 to other machines, without TLS on loopback. */
import { connect, type TLSSocket } from "node:tls"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Effect, Layer, Scope } from "effect"
import { type RunnerAddress, Runners } from "effect/cluster"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket } from "effect/socket"
import { untraced } from "../../contract/untraced.ts"
import { isLoopback } from "../../system/loopback.ts"
import { homesIn, refusalLog, socketCode, wordsOf } from "./peer.ts"
import type { TlsFiles } from "./tlsFiles.ts"

interface TlsClientOptions {
  /** PEM, from `readTlsFiles`. */
  readonly tls: TlsFiles
  /** The home at an address; undefined for an unknown one, to which nothing connects. */
  readonly homeAt: (address: RunnerAddress.RunnerAddress) => Effect.Effect<string | undefined>
}

const openMs = 5000

const openError = (cause: unknown) =>
  new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })

const notThatHome = "REINS_ANOTHER_HOME"

const connected = (tls: TlsFiles, home: string, { host, port }: { readonly host: string; readonly port: number }) =>
  connect({
    ...tls,
    host,
    port,
    minVersion: "TLSv1.3",
    rejectUnauthorized: true,
    checkServerIdentity: (_host, { subjectaltname }) =>
      homesIn(subjectaltname).includes(home)
        ? undefined
        : Object.assign(new Error("The certificate is of another home"), { code: notThatHome })
  })

const whyNot = (code: string | undefined, home: string) =>
  code === notThatHome ? `its certificate is not of the home ${home}` : wordsOf(code, "it cannot be reached by TLS")

const open = (
  { tls, homeAt }: TlsClientOptions,
  address: RunnerAddress.RunnerAddress,
  onRefused: (peer: string, why: string) => void
) =>
  Effect.gen(function* () {
    const peer = `${address.host}:${address.port}`
    const home = yield* homeAt(address)
    if (home === undefined) {
      onRefused(peer, "no home is known there")
      return yield* Effect.fail(openError(new Error("No home is known at this address")))
    }
    let conn: TLSSocket | undefined
    let isOpen = false
    yield* Scope.addFinalizer(
      yield* Effect.scope,
      Effect.sync(() => (isOpen ? conn?.destroySoon() : conn?.destroy()))
    )
    return yield* Effect.callback<TLSSocket, Socket.SocketError>((resume) => {
      const made = connected(tls, home, address)
      conn = made
      made.once("secureConnect", () => {
        isOpen = true
        resume(Effect.succeed(made))
      })
      made.on("error", (cause) => {
        if (!isOpen) onRefused(peer, whyNot(socketCode(cause), home))
        resume(Effect.fail(openError(cause)))
      })
      made.once("close", () => resume(Effect.fail(openError(new Error("Closed in the handshake")))))
    })
  })

const protocolOver = (socket: Socket.Socket, serialization: RpcSerialization.RpcSerialization["Service"]) =>
  RpcClient.makeProtocolSocket().pipe(
    Effect.provideService(Socket.Socket, socket),
    Effect.provideService(RpcSerialization.RpcSerialization, serialization)
  )

/**
 * Takes the place of `NodeClusterSocket.layerClientProtocol`. Connects only if the certificate of the other machine is of the
 * home that is expected there.
 */
export const layerTlsClient = (
  options: TlsClientOptions
): Layer.Layer<Runners.RpcClientProtocol, never, RpcSerialization.RpcSerialization> =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.gen(function* () {
      const serialization = yield* RpcSerialization.RpcSerialization
      const onRefused = yield* refusalLog("no connection to a machine")
      return {
        codecFor: serialization.codecFor,
        make: Effect.fn(...untraced("Clients.make"))(function* (address) {
          const socket = yield* NodeSocket.fromDuplex(open(options, address, onRefused), { openTimeout: openMs })
          return yield* protocolOver(socket, serialization)
        })
      }
    })
  )

/**
 * The same without a certificate, to runners on loopback. Other machines are reached by the database alone: the first
 * bytes of a connection without TLS could be read on the network path, though no home would accept it.
 */
export const layerLoopbackClient: Layer.Layer<Runners.RpcClientProtocol, never, RpcSerialization.RpcSerialization> =
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.gen(function* () {
      const plain = yield* Runners.RpcClientProtocol
      const serialization = yield* RpcSerialization.RpcSerialization
      return {
        codecFor: plain.codecFor,
        make: Effect.fn(...untraced("Clients.make"))(function* (address) {
          if (isLoopback(address.host)) return yield* plain.make(address)
          const socket = yield* NodeSocket.fromDuplex(
            Effect.fail(openError(new Error("Another machine is reached by TLS alone")))
          )
          return yield* protocolOver(socket, serialization)
        })
      }
    })
  ).pipe(Layer.provide(NodeClusterSocket.layerClientProtocol))
