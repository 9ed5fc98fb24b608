/** An answer is sent at once, without waiting for the agent's process, which may stay for some time. */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Claude } from "../../src/agents/Agents.ts"
import { programPath } from "../kit/agent.ts"
import { processesWith } from "../kit/processes.ts"
import { bridgeOf } from "./bridgeOf.ts"

describe("an answer", () => {
  it.live("of a run is sent while its process runs; the next message waits for the exit", () =>
    Effect.gen(function* () {
      const mark = `--mark=${randomUUID()}`
      const agent = Claude.layer({
        command: process.execPath,
        baseArgs: [programPath("lingers"), mark],
        timeouts: { linger: "1500 millis" },
        killGrace: 200
      })
      yield* Effect.gen(function* () {
        const {
          say,
          shown: visible,
          ours,
          until
        } = yield* (yield* bridgeOf(agent, { live: false, progress: "edit" }))()
        yield* say("hello")
        yield* visible("ann", "lingering")
        const lingering = processesWith(mark)
        assert.strictEqual(lingering.length, 1)
        yield* say("once more")
        // Each process has a session of its own; the second one resumes that of the first.
        yield* until(() => ours("ann").find(({ text }) => text.includes("could not be understood")))
        assert.notInclude(processesWith(mark), lingering[0])
        // It waits for its turn, and so meets no session that another process uses.
        assert.isFalse(ours("ann").some(({ text }) => text.includes("another turn uses the conversation")))
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(processesWith(mark), [])
    })
  )

  it.live(
    "of a live session is sent, and its progress marked, while the process runs; the process ends with the bridge",
    () =>
      Effect.gen(function* () {
        const mark = `--mark=${randomUUID()}`
        const agent = Claude.layer({
          command: process.execPath,
          baseArgs: [programPath("live/claude"), mark],
          killGrace: 200
        })
        yield* Effect.gen(function* () {
          const { say, shown: visible } = yield* (yield* bridgeOf(agent, { progress: "edit" }))()
          yield* say(JSON.stringify([{ say: "the answer" }]))
          yield* visible("ann", "the answer")
          yield* visible("ann", "✓ done")
          assert.strictEqual(processesWith(mark).length, 1)
        }).pipe(Effect.scoped)
        assert.deepStrictEqual(processesWith(mark), [])
      })
  )
})
