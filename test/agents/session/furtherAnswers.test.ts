/** A turn that goes on for a better answer: what it sums, and how it ends where the agent is not ready for it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { answeringOf } from "../../../src/agents/answers/answering.ts"
import { makeTurn } from "../../../src/agents/session/turn.ts"
import type { Output } from "../../../src/cli/Live.ts"
import { Aborted } from "../../../src/contract/AgentError.ts"
import { hear, makeTalk } from "./talk.ts"

const makeAnswered = () => makeTurn("How many?", answeringOf({ outputSchema: { type: "integer" } }, "prompt"))

const used = { usage: { inputTokens: 10 }, totalCostUsd: 1, numTurns: 1 }
const says = (text: string): ReadonlyArray<Output> => [
  { type: "text", text },
  { type: "usage", usage: { inputTokens: 10 }, totalCostUsd: 1 },
  { _tag: "TurnEnded", verdict: { _tag: "Success" }, report: used }
]

describe("a turn whose answer does not match", () => {
  it.effect("is asked again when the agent is ready, and sums", () =>
    Effect.gen(function* () {
      const { conversation, prompts, stand, turns, broadcast } = yield* makeTalk()
      const turn = makeAnswered()
      conversation.turn(turn)
      // It goes on with something of its own.
      hear(conversation, says("three"))
      assert.lengthOf(prompts, 1)
      assert.isTrue(turns.isUnderWay())
      stand("resting")
      hear(conversation, [])
      assert.lengthOf(prompts, 2)
      assert.include(prompts[1], "does not match the JSON Schema")
      stand("resting")
      hear(conversation, says("3"))
      const { result } = turn.ended ?? assert.fail("it goes on")
      assert.deepInclude(result, {
        outcome: "completed",
        text: "3",
        structuredOutput: 3,
        usage: { inputTokens: 20 },
        totalCostUsd: 2,
        numTurns: 2
      })
      conversation.conclude({ failure: undefined }, "")
      assert.deepInclude(turns.ended()?.result, { totalCostUsd: 2, usage: { inputTokens: 20 } })
      broadcast.end()
      const events = yield* Stream.runCollect(broadcast.events)
      const sums = events.flatMap((event) => (event.type === "usage" ? [event.usage.inputTokens] : []))
      assert.deepStrictEqual(sums, [10, 20])
    })
  )

  it.effect("is over at once when it is interrupted before it is asked again", () =>
    Effect.gen(function* () {
      const { conversation, prompts, stand, interrupts } = yield* makeTalk()
      const turn = makeAnswered()
      conversation.turn(turn)
      hear(conversation, says("three"))
      yield* conversation.interrupt() ?? Effect.die("no turn is running")
      assert.deepInclude(turn.ended?.result, { outcome: "aborted", usage: { inputTokens: 10 } })
      assert.strictEqual(interrupts(), 0)
      stand("resting")
      hear(conversation, [])
      assert.lengthOf(prompts, 1)
    })
  )

  it.effect("ends with its session, with what it had cost", () =>
    Effect.gen(function* () {
      const { conversation } = yield* makeTalk()
      const turn = makeAnswered()
      conversation.turn(turn)
      hear(conversation, says("three"))
      conversation.conclude({ failure: new Aborted() }, "")
      assert.deepInclude(turn.ended?.result, { outcome: "aborted", usage: { inputTokens: 10 }, totalCostUsd: 1 })
    })
  )

  it.effect("is not asked again after an interrupt", () =>
    Effect.gen(function* () {
      const { conversation, prompts, stand } = yield* makeTalk()
      const turn = makeAnswered()
      conversation.turn(turn)
      stand("resting")
      hear(conversation, [{ _tag: "TurnEnded", verdict: { _tag: "Success" }, report: {}, isInterrupted: true }])
      assert.deepInclude(turn.ended?.result, { outcome: "aborted" })
      assert.lengthOf(prompts, 1)
    })
  )
})
