/** An account that machines share: other machines wait, whatever happens to the database meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ServeError } from "../../../src/bridge/ServeError.ts"
import { ChannelLost, ChannelTaken } from "../../../src/bridge/ServeError.ts"
import { StoreUnavailable } from "../../../src/contract/AgentError.ts"
import { StoreError } from "../../../src/contract/StoreError.ts"
import { inTurn } from "../../../src/program/serve/serving.ts"

const account = { channel: "telegram", accountId: "bot" }
const taken = new ChannelTaken({ ...account, host: "other" })
const lost = new ChannelLost(account)
const away = new StoreError({ reason: new StoreUnavailable({ problem: "the database cannot be reached" }) })

const served = (course: ReadonlyArray<ServeError | "ends">) => {
  let tries = 0
  const serve = Effect.suspend(() => {
    const next = course[tries] ?? "ends"
    tries += 1
    return next === "ends" ? Effect.succeed("ended") : Effect.fail(next)
  })
  return Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(inTurn({ id: "telegram", accountId: "bot" }, serve)))
    yield* TestClock.adjust("1 minute")
    const end = yield* Fiber.join(fiber)
    return { tries, end: end._tag === "Success" ? end.success : end.failure._tag }
  })
}

describe("an account in turn", () => {
  const courses: ReadonlyArray<readonly [string, ReadonlyArray<ServeError>, number, string]> = [
    ["is waited for while another machine serves it", [taken, taken], 3, "ended"],
    ["is waited for again once it was lost", [lost, taken], 3, "ended"],
    ["is waited for while the database is away, too", [lost, away, away, taken], 5, "ended"],
    ["does not wait for a database that was never there", [away], 1, "StoreError"]
  ]
  it.effect.each(courses)("%s", ([, course, tries, end]) =>
    Effect.map(served(course), (found) => assert.deepStrictEqual(found, { tries, end }))
  )
})
