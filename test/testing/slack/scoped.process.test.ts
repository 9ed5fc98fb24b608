/** The server of Effect's door: closed with its scope, and on the time of a `TestClock`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { SlackServer } from "../../../src/testingEffect.ts"
import { connect, post } from "./client.ts"

describe("a server in a scope", () => {
  it.effect("takes its time from the clock of the test", () =>
    Effect.gen(function* () {
      const slack = yield* SlackServer.make()
      slack.open("C1")
      const send = Effect.promise(() => post(slack, "chat.postMessage", { channel: "C1", text: "x" }))
      for (let index = 0; index < 3; index++) assert.isTrue((yield* send).ok)
      assert.strictEqual((yield* send).error, "ratelimited")
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* send).ts, "3.000000")
      assert.strictEqual(slack.chat("C1").at(-1)?.at, 3_000)
    })
  )

  it.effect("is gone behind the scope, with its sockets", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(
        Effect.gen(function* () {
          const slack = yield* SlackServer.make()
          const { socket } = yield* Effect.promise(() => connect(slack))
          return new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)))
        })
      )
      assert.strictEqual(yield* Effect.promise(() => closed), 1006)
    })
  )
})
