/** Messages of a client: each is an answer, a request, or refused, and the next one is read. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Schema, Stream } from "effect"
import { makeConnection, maxLineBytes } from "../../../src/api/acpServer/connection.ts"
import { linesOf } from "../../../src/system/process/lines.ts"

const make = () => {
  const lines: Array<string> = []
  const connection = makeConnection((line) => Effect.sync(() => void lines.push(line)))
  const receive = (text: string) => connection.receive({ _tag: "Line", text })
  return {
    connection,
    receive,
    sent: (): ReadonlyArray<Record<string, unknown>> => lines.map((line) => JSON.parse(line))
  }
}

describe("a message of a client", () => {
  it.each([
    ["is not JSON", "{", -32700],
    ["is a batch", '[{"jsonrpc":"2.0","id":1,"method":"a"}]', -32600],
    ["is a number", "1", -32600],
    ["is an empty object", "{}", -32600],
    ["has a method that is not a text", '{"id":1,"method":2}', -32600]
  ])("that %s is refused, without an id", (_, text, code) => {
    const received = make().receive(text)
    assert.strictEqual(received._tag === "Malformed" ? received.error.code : 0, code)
  })

  it("that is too long is refused", () => {
    const { connection } = make()
    const received = connection.receive({ _tag: "Oversize", bytes: maxLineBytes + 1, head: "{" })
    assert.strictEqual(received._tag, "Malformed")
  })

  it("that answers nothing is dropped", () => {
    const { receive } = make()
    for (const text of ["", " ", '{"jsonrpc":"2.0","id":7,"result":{}}', '{"id":null,"error":{"code":1}}']) {
      assert.strictEqual(receive(text)._tag, "Nothing")
    }
  })

  it("is a request or a notification", () => {
    const { receive } = make()
    assert.deepStrictEqual(receive('{"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}}\r'), {
      _tag: "Request",
      id: "a",
      method: "m",
      params: { x: 1 }
    })
    assert.strictEqual(receive('{"jsonrpc":"2.0","method":"m"}')._tag, "Notification")
  })

  it.effect("is read line by line, in any chunks", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode('{"id":1,"method":"ä"}\n\nnonsense\n{"id":2,"method":"日"}')
      for (const size of [1, 2, 3, 7, 1_000]) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size)
        )
        const { connection } = make()
        const lines = yield* Stream.runCollect(linesOf(Stream.fromIterable(pieces), maxLineBytes))
        const tags = lines
          .map(connection.receive)
          .map((received) => ("method" in received ? received.method : received._tag))
        assert.deepStrictEqual(tags, ["ä", "Nothing", "Malformed", "日"])
      }
    })
  )

  it.prop("never throws", [Schema.String, Schema.Json], ([text, json]) => {
    const { receive } = make()
    receive(text)
    receive(JSON.stringify(json))
  })
})

describe("a request to the client", () => {
  it.effect("waits for its own answer", () =>
    Effect.gen(function* () {
      const { connection, receive, sent } = make()
      const one = yield* Effect.forkChild(connection.request("a", {}), { startImmediately: true })
      const two = yield* Effect.forkChild(Effect.result(connection.request("b", {})), { startImmediately: true })
      assert.deepStrictEqual(
        sent().map(({ id, method }) => [id, method]),
        [
          [1, "a"],
          [2, "b"]
        ]
      )
      receive('{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"no"}}')
      receive('{"jsonrpc":"2.0","id":1,"result":"yes"}')
      assert.strictEqual(yield* Fiber.join(one), "yes")
      assert.deepStrictEqual(yield* Fiber.join(two), Result.fail({ code: 5, message: "no" }))
    })
  )

  it.effect("is cancelled by interrupting the caller, once", () =>
    Effect.gen(function* () {
      const { connection, receive, sent } = make()
      const asking = yield* Effect.forkChild(connection.request("a", {}), { startImmediately: true })
      yield* Fiber.interrupt(asking)
      assert.deepStrictEqual(sent().at(-1), { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 1 } })
      assert.strictEqual(receive('{"jsonrpc":"2.0","id":1,"result":"late"}')._tag, "Nothing")
      assert.strictEqual(sent().length, 2)
    })
  )
})
