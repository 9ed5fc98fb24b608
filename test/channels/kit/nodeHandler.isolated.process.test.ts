/** The handler on Node's server: a client that has gone leaves nothing behind, not even for a while. */
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, it } from "vitest"
import { nodeHandler } from "../../../src/channels/kit/nodeHandler.ts"

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length

it("waits for nothing more of a request that was cut off before its answer", async () => {
  const answer = Promise.withResolvers<Response>()
  const gone = Promise.withResolvers<void>()
  const handled = nodeHandler(() => answer.promise)
  const server = createServer((incoming, outgoing) => {
    outgoing.once("close", gone.resolve)
    handled(incoming, outgoing)
    client.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1") // it listens on a port
  client.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf")
  try {
    await gone.promise
    await nextTurn()
    const before = timers()
    answer.resolve(new Response("no", { status: 503 }))
    for (let turn = 0; turn < 10; turn += 1) await nextTurn()
    expect(timers()).toBeLessThanOrEqual(before)
  } finally {
    server.close()
  }
})
