/**
 * Connections without a certificate: to runners on loopback. Other machines are reached by the database alone, since
 * the first words of a connection without TLS could be read on the network path, though no home would accept it.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Effect, Layer } from "effect"
import { Runners } from "effect/cluster"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket } from "effect/socket"
import { isLoopback } from "../../system/loopback.ts"

const notConnected = new Socket.SocketError({
  reason: new Socket.SocketOpenError({ kind: "Unknown", cause: new Error("Another machine is reached by TLS alone") })
})

/** Takes the place of `NodeClusterSocket.layerClientProtocol`. */
export const layerLoopbackClient: Layer.Layer<Runners.RpcClientProtocol, never, RpcSerialization.RpcSerialization> =
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.gen(function* () {
      const plain = yield* Runners.RpcClientProtocol
      const serialization = yield* RpcSerialization.RpcSerialization
      return {
        codecFor: plain.codecFor,
        make: Effect.fnUntraced(function* (address) {
          if (isLoopback(address.host)) return yield* plain.make(address)
          const socket = yield* NodeSocket.fromDuplex(Effect.fail(notConnected))
          return yield* RpcClient.makeProtocolSocket().pipe(
            Effect.provideService(Socket.Socket, socket),
            Effect.provideService(RpcSerialization.RpcSerialization, serialization)
          )
        })
      }
    })
  ).pipe(Layer.provide(NodeClusterSocket.layerClientProtocol))
