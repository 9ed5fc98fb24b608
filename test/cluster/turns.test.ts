/** Turns go to the home of their conversation, whoever asks them. On PostgreSQL. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasPostgres, makeDatabase } from "../kit/postgres.ts"
import { testAgent } from "../sessions/kit.ts"
import { startClient, startHome } from "./kit/homes.ts"

describe.skipIf(!hasPostgres)("a cluster", () => {
  it.live(
    "performs a turn in a home, and goes on with it there",
    () =>
      Effect.gen(function* () {
        const { url } = yield* makeDatabase
        const a = yield* startHome(url, "a", testAgent([{ text: "from a" }]))
        const { sessions } = yield* startClient(url)
        const first = yield* sessions.run({ conversation: "c", prompt: "one" })
        assert.strictEqual(first.text, "from a")
        const b = yield* startHome(url, "b", testAgent([{ text: "from b" }]))
        const second = yield* sessions.run({ conversation: "c", prompt: "two" })
        assert.strictEqual(second.text, "from a")
        assert.strictEqual(second.sessionId, first.sessionId)
        assert.deepStrictEqual([a.agent.calls.length, b.agent.calls.length], [2, 0])
      }).pipe(Effect.scoped),
    60_000
  )
})
