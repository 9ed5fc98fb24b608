/** An answer to a prompt waits until all of its turn was sent. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeTurnEnds } from "../../../src/api/acpServer/liveSession.ts"
import type { AgentRunResult } from "../../../src/contract/AgentRunResult.ts"

const end = (durationMs: number): AgentRunResult => ({
  outcome: "completed",
  reason: "completed",
  text: "",
  sessionId: "s",
  durationMs,
  usage: undefined,
  aborted: false
})

it.effect("waits for its own end, whichever is first", () =>
  Effect.gen(function* () {
    const { sent, awaitSent } = makeTurnEnds()
    sent(end(1))
    yield* awaitSent(end(1))
    const waiting = yield* Effect.forkChild(awaitSent(end(2)), { startImmediately: true })
    sent(end(3))
    assert.isUndefined(waiting.pollUnsafe())
    sent(end(2))
    yield* Fiber.join(waiting)
  })
)

it.effect("does not take one end for two turns that look the same", () =>
  Effect.gen(function* () {
    const { sent, awaitSent } = makeTurnEnds()
    sent(end(0))
    yield* awaitSent(end(0))
    const waiting = yield* Effect.forkChild(awaitSent(end(0)), { startImmediately: true })
    assert.isUndefined(waiting.pollUnsafe())
    sent(end(0))
    yield* Fiber.join(waiting)
  })
)
