/** The server of Effect's door: closed with its scope, and on the time of a `TestClock`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { TelegramServer } from "../../../src/testingEffect.ts"
import { post } from "./client.ts"

describe("a server in a scope", () => {
  it.effect("takes its time from the clock of the test", () =>
    Effect.gen(function* () {
      const tg = yield* TelegramServer.make()
      tg.open(1)
      const send = Effect.promise(() => post(tg, "sendMessage", { chat_id: 1, text: "x" }))
      for (let index = 0; index < 5; index++) assert.strictEqual((yield* send).status, 200)
      assert.strictEqual((yield* send).retryAfter, 5)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* send).status, 200)
      assert.strictEqual(tg.chat(1).at(-1)?.at, 5_000)
    })
  )

  it.effect("ends a long poll when the test's clock is that late", () =>
    Effect.gen(function* () {
      const tg = yield* TelegramServer.make()
      const polling = post(tg, "getUpdates", { timeout: 50 })
      yield* Effect.promise(() => tg.until(() => tg.listeners() === 1 || undefined))
      yield* TestClock.adjust("50 seconds")
      assert.deepStrictEqual((yield* Effect.promise(() => polling)).result, [])
    })
  )

  it.effect("is gone behind the scope, with what is still open", () =>
    Effect.gen(function* () {
      const [tg, polling] = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* TelegramServer.make()
          const open = post(server, "getUpdates", { timeout: 50 }).catch(() => "broken")
          yield* Effect.promise(() => server.until(() => server.listeners() === 1 || undefined))
          return [server, open] as const
        })
      )
      assert.strictEqual(yield* Effect.promise(() => polling), "broken")
      assert.strictEqual(yield* Effect.promise(() => post(tg, "getMe").catch(() => "refused")), "refused")
    })
  )
})
