/** Without a certificate, nothing of a message leaves the machine. */
import { once } from "node:events"
import { createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { RunnerAddress, Runners } from "effect/cluster"
import { Rpc, RpcClient, RpcGroup, RpcSerialization } from "effect/rpc"
import { layerLoopbackClient } from "../../../src/cluster/wire/clients.ts"

const Calls = RpcGroup.make(Rpc.make("Tell", { payload: { text: Schema.String }, success: Schema.Number }))

let connections = 0
const server = createServer((socket) => {
  connections += 1
  socket.destroy()
})
let port = 0
beforeAll(async () => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  port = typeof address === "object" && address !== null ? address.port : 0
})
afterAll(() => void server.close())

const reported = (host: string) =>
  Effect.gen(function* () {
    const { make } = yield* Runners.RpcClientProtocol
    const protocol = yield* make(RunnerAddress.make(host, port))
    const { Tell } = yield* RpcClient.make(Calls).pipe(Effect.provideService(RpcClient.Protocol, protocol))
    return yield* Tell({ text: "secret" })
  }).pipe(
    Effect.provide(layerLoopbackClient.pipe(Layer.provideMerge(RpcSerialization.layerSchemaBinary()))),
    Effect.scoped,
    Effect.flip
  )

describe("a caller without a certificate", () => {
  // 0.0.0.0 leads to this machine, too, so that a connection would be seen.
  it.live("connects to no other machine", () =>
    Effect.gen(function* () {
      expect(String(yield* reported("0.0.0.0"))).toContain("RpcClientError")
      expect(connections).toBe(0)
      yield* reported("127.0.0.1")
      expect(connections).toBe(1)
    })
  )
})
