/** 10,000 deliveries in a minute at the real server: the rate holds, connections are used again, and nothing stays. */
import { Agent, request as httpRequest } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { deliver, listen, quietly, signed, storing } from "./kit.ts"

const deliveries = 10_000
const body = JSON.stringify({ title: "x".repeat(500) })

interface Counted {
  readonly statuses: Map<number | undefined, number>
  readonly sockets: Set<number | undefined>
}

const post = (url: string, agent: Agent, id: string, { statuses, sockets }: Counted) =>
  Effect.callback<void>((resume) => {
    const headers = {
      "content-type": "application/json",
      "content-length": body.length,
      "x-hub-signature-256": signed(body),
      "x-github-delivery": id
    }
    const request = httpRequest(url, { method: "POST", agent, headers }, (response) => {
      const { statusCode, headers: answered } = response
      const seconds = Number(answered["retry-after"])
      if (statusCode === 429) assert.isTrue(seconds >= 1 && seconds <= 60)
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
      response.resume()
      response.on("end", () => resume(Effect.void))
    })
    request.on("socket", ({ localPort }) => void sockets.add(localPort))
    request.on("error", (error) => resume(Effect.die(error)))
    request.end(body)
  })

const heap = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

describe("10,000 signed deliveries", () => {
  it.live("are ten messages and 9,990 times 429", () =>
    Effect.gen(function* () {
      const listening = yield* listen()
      const stored = yield* storing(listening)
      const agent = new Agent({ keepAlive: true, maxSockets: 50 })
      yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
      const counted: Counted = { statuses: new Map(), sockets: new Set() }
      const send = (from: number, count: number) =>
        Effect.forEach(
          Array.from({ length: count }, (_, at) => from + at),
          (at) => post(`${listening.origin}/hooks/pulls`, agent, `d${at}`, counted),
          { concurrency: 50, discard: true }
        )
      // Warms up: code is compiled, connections are opened.
      yield* send(0, 1_000)
      const before = heap()
      yield* send(1_000, deliveries - 1_000)
      const grown = heap() - before
      assert.deepStrictEqual([...counted.statuses].sort(), [
        [202, 10],
        [429, deliveries - 10]
      ])
      assert.strictEqual(stored.length, 10)
      assert.isAtMost(counted.sockets.size, 60)
      assert.isBelow(grown, 4_000_000)
      // It serves as before.
      const { status } = yield* deliver(listening.origin, '{"title":1}', { headers: { "x-github-delivery": "d0" } })
      assert.strictEqual(status, 200)
    }).pipe(quietly)
  )
})
