/** An answer is sent when the agent has given it: nobody waits for the process of a live session, which stays. */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Claude } from "../../src/Agents.ts"
import { programPath } from "../kit/agent.ts"
import { processesWith } from "../kit/processes.ts"
import { bridgeOf } from "./bridgeOf.ts"

describe("an answer", () => {
  it.live("is there, with the mark of its progress, while its process is, which ends with the bridge", () =>
    Effect.gen(function* () {
      const mark = `--mark=${randomUUID()}`
      const agent = Claude.layer({
        command: process.execPath,
        baseArgs: [programPath("live/claude"), mark],
        killGrace: 200
      })
      yield* Effect.gen(function* () {
        const { say, shown } = yield* (yield* bridgeOf(agent, { progress: "edit" }))()
        yield* say(JSON.stringify([{ say: "the answer" }]))
        yield* shown("ann", "the answer")
        yield* shown("ann", "✓ done")
        assert.strictEqual(processesWith(mark).length, 1)
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(processesWith(mark), [])
    })
  )
})
