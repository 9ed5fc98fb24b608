/** Memory of ended requests is bounded, and does not retain live sessions. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Deciding, makeEntries } from "../../../src/bridge/approvals/entry.ts"
import { request } from "./kit.ts"

const conversation = { channel: "test", accountId: "bot", chatId: "ann" }
const makeSession = (): Deciding => ({ decide: () => Effect.succeed(true), answer: () => Effect.succeed(true) })

describe("a request", () => {
  it.effect("is found by its id after its end, without its session", () =>
    Effect.gen(function* () {
      const { add, byId, end, of, ofSession } = makeEntries()
      const session = makeSession()
      const entry = add({ conversation, turnId: "t", session, asked: request("r") })
      assert.strictEqual(of(session, "r"), entry)
      end(entry)
      assert.strictEqual(byId(entry.id), entry)
      assert.deepStrictEqual(ofSession(session), [])
      assert.isFalse(Object.values(entry).includes(session))
      assert.isFalse(yield* Effect.orDie(entry.session.decide("r", { decision: "allow" })))
    })
  )
})
