/** The RPC of Effect Cluster over mutual TLS: calls pass between homes that know each other, and to no other. */
import { rmSync } from "node:fs"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { RunnerAddress, Runners } from "effect/cluster"
import { Rpc, RpcClient, RpcGroup, RpcSerialization, RpcServer } from "effect/rpc"
import { SocketServer } from "effect/socket"
import { layerTlsClient } from "../../../src/cluster/wire/clients.ts"
import { layerTlsServer } from "../../../src/cluster/wire/tlsServer.ts"
import { authority, directory, read } from "./authority.ts"

const root = directory()
afterAll(() => rmSync(root, { recursive: true }))

const { sign } = authority(root, "ours")
const own = read(sign("a", "DNS:home-a"))
const client = read(sign("b", "DNS:home-b"))

const Calls = RpcGroup.make(Rpc.make("Double", { payload: { n: Schema.Number }, success: Schema.Number }))

const calls: Array<number> = []
const handlers = Calls.toLayer({
  Double: ({ n }) =>
    Effect.sync(() => {
      calls.push(n)
      return n * 2
    })
})

const doubled = (home: string | undefined, tls = client) =>
  Effect.gen(function* () {
    const { address } = yield* SocketServer.SocketServer
    const port = "port" in address ? address.port : 0
    const { make } = yield* Runners.RpcClientProtocol
    const protocol = yield* make(RunnerAddress.make("127.0.0.1", port))
    const { Double } = yield* RpcClient.make(Calls).pipe(Effect.provideService(RpcClient.Protocol, protocol))
    return yield* Double({ n: 21 })
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        RpcServer.layer(Calls).pipe(Layer.provide([handlers, RpcServer.layerProtocolSocketServer])),
        layerTlsClient({ tls, homeAt: () => Effect.succeed(home) })
      ).pipe(
        Layer.provideMerge(
          layerTlsServer({
            tls: own,
            host: "127.0.0.1",
            port: 0,
            isKnown: (name) => ["home-a", "home-b"].includes(name)
          })
        ),
        Layer.provide(RpcSerialization.layerSchemaBinary())
      )
    ),
    Effect.scoped,
    Effect.timeout("10 seconds"),
    Effect.exit
  )

describe("calls between machines", () => {
  it.live("pass to the expected home", () =>
    Effect.map(doubled("home-a"), (exit) => expect(exit).toMatchObject({ _tag: "Success", value: 42 }))
  )

  it.live.each([
    ["to another home at its address", "home-c", client],
    ["where no home is known", undefined, client],
    ["from a home that is not of the cluster", "home-a", read(sign("x", "DNS:home-x"))]
  ] as const)("do not pass %s", ([_name, home, tls]) =>
    Effect.gen(function* () {
      calls.length = 0
      expect(yield* doubled(home, tls)).toMatchObject({ _tag: "Failure" })
      expect(calls).toEqual([])
    })
  )
})
