/** Whose turn it is: the events of each, its one end, and what all of them come to. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { makeBroadcast } from "../../../src/agents/session/broadcast.ts"
import { makeTurn, type Turn } from "../../../src/agents/session/turn.ts"
import { makeTurns } from "../../../src/agents/session/turns.ts"
import { Aborted, AgentFailed } from "../../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { typed } from "../../kit/live.ts"

const text = (name: string): AgentEvent => ({ type: "text", text: name })
const fine = { failure: undefined }
const cost = (inputTokens: number, totalCostUsd: number) => ({
  usage: { inputTokens, outputTokens: 1, cacheReadTokens: 5 },
  totalCostUsd,
  numTurns: 1
})

const started = Effect.gen(function* () {
  const broadcast = makeBroadcast()
  return { broadcast, turns: makeTurns(broadcast, yield* Clock.Clock) }
})

const eventsOf = (turn: Turn) => Stream.runCollect(turn.backlog.events)
const types = (events: ReadonlyArray<AgentEvent>) => events.map(({ type }) => type)

describe("turns", () => {
  it.effect("give each turn its own events and its end, and the broadcast all of them", () =>
    Effect.gen(function* () {
      const { broadcast, turns } = yield* started
      const [one, two] = [makeTurn("1"), makeTurn("2")]
      for (const turn of [one, two]) {
        assert.isFalse(turns.isUnderWay())
        turns.begin(turn)
        assert.strictEqual(turns.current(), turn)
        turns.give(text(turn.prompt))
        yield* TestClock.adjust("3 seconds")
        turns.end(fine, cost(10, 0.5), true)
      }
      turns.conclude(fine, "the last words")
      for (const turn of [one, two]) {
        const events = yield* eventsOf(turn)
        assert.deepStrictEqual(types(events), ["text", "turn_done"])
        const [done] = typed(events, "turn_done")
        assert.deepInclude(done?.result, {
          text: turn.prompt,
          durationMs: 3_000,
          totalCostUsd: 0.5,
          outcome: "completed"
        })
      }
      broadcast.end()
      const all = yield* Stream.runCollect(broadcast.events)
      assert.deepStrictEqual(types(all), ["text", "turn_done", "text", "turn_done", "done"])
      const [done] = typed(all, "done")
      assert.deepInclude(done?.result, { text: "", durationMs: 6_000, totalCostUsd: 1, numTurns: 2 })
      assert.deepInclude(done?.result.usage, { inputTokens: 20, outputTokens: 2, cacheReadTokens: 10 })
      assert.strictEqual(done?.result.stderrTail, "the last words")
      assert.strictEqual(turns.ended()?.result, done?.result)
    })
  )

  it.effect("that the CLI begins by itself have an end, too", () =>
    Effect.gen(function* () {
      const { broadcast, turns } = yield* started
      turns.begin(undefined)
      assert.isTrue(turns.isUnderWay())
      assert.isUndefined(turns.current())
      turns.give(text("a"))
      turns.end(fine, {}, true)
      turns.conclude(fine, "")
      broadcast.end()
      const all = yield* Stream.runCollect(broadcast.events)
      assert.deepStrictEqual(types(all), ["text", "turn_done", "done"])
      assert.strictEqual(typed(all, "turn_done")[0]?.result.text, "a")
    })
  )

  it.effect("end one that was never told to have begun", () =>
    Effect.gen(function* () {
      const { broadcast, turns } = yield* started
      turns.end(fine, {}, true)
      assert.isFalse(turns.isUnderWay())
      turns.conclude(fine, "")
      broadcast.end()
      assert.deepStrictEqual(types(yield* Stream.runCollect(broadcast.events)), ["turn_done", "done"])
    })
  )

  it.effect("that end before the one that was asked for leave it its own text and end", () =>
    Effect.gen(function* () {
      const { broadcast, turns } = yield* started
      const turn = makeTurn("mine")
      turns.begin(turn)
      turns.give(text("of another"))
      turns.end(fine, {}, false)
      assert.strictEqual(turns.current(), turn)
      turns.give(text("mine"))
      turns.end(fine, {}, true)
      turns.conclude(fine, "")
      const own = yield* eventsOf(turn)
      assert.strictEqual(typed(own, "turn_done").length, 1)
      assert.strictEqual(typed(own, "turn_done")[0]?.result.text, "mine")
      assert.strictEqual(own.at(-1)?.type, "turn_done")
      broadcast.end()
      const all = yield* Stream.runCollect(broadcast.events)
      assert.deepStrictEqual(
        typed(all, "turn_done").map(({ result }) => result.text),
        ["of another", "mine"]
      )
    })
  )

  it.effect("that fail tell why before their end", () =>
    Effect.gen(function* () {
      const { turns } = yield* started
      const turn = makeTurn("1")
      turns.begin(turn)
      turns.end({ failure: new AgentFailed({ code: "x", category: "protocol", detail: "mine" }) }, {}, true)
      const events = yield* eventsOf(turn)
      assert.deepStrictEqual(types(events), ["error", "turn_done"])
      assert.deepInclude(typed(events, "turn_done")[0]?.result, { outcome: "failed" })
    })
  )

  it.effect("under way at the end of the session end with it; nothing is told behind `done`", () =>
    Effect.gen(function* () {
      const { broadcast, turns } = yield* started
      const turn = makeTurn("1")
      turns.begin(turn)
      turns.conclude({ failure: new Aborted() }, "")
      turns.conclude(fine, "again")
      turns.give(text("late"))
      assert.deepStrictEqual(types(yield* eventsOf(turn)), ["error", "turn_done"])
      broadcast.end()
      const all = yield* Stream.runCollect(broadcast.events)
      assert.deepStrictEqual(types(all), ["error", "turn_done", "done"])
      assert.deepInclude(typed(all, "done")[0]?.result, { outcome: "aborted" })
    })
  )

  it.effect("that never began are refused, and the session does not tell of them", () =>
    Effect.gen(function* () {
      const { broadcast, turns } = yield* started
      const turn = makeTurn("1")
      turns.refuse(turn, new Aborted())
      turns.conclude(fine, "")
      assert.deepStrictEqual(types(yield* eventsOf(turn)), ["error", "turn_done"])
      broadcast.end()
      assert.deepStrictEqual(types(yield* Stream.runCollect(broadcast.events)), ["done"])
    })
  )

  it.effect("know the session, the open tools and the visible text of the main thread", () =>
    Effect.gen(function* () {
      const { turns } = yield* started
      turns.countText()
      turns.give({ type: "session", sessionId: "main" })
      turns.give({ type: "session", sessionId: "nested", parentToolId: "t" })
      assert.strictEqual(turns.sessionId(), "main")
      turns.begin(makeTurn("1"))
      turns.give(text("a b\n"))
      turns.give({ type: "tool_use", toolId: "t", toolName: "Bash", kind: "command", title: "x", input: {} })
      assert.isTrue(turns.isToolOpen())
      assert.strictEqual(turns.textLength(), 2)
      turns.end(fine, {}, true)
      assert.isFalse(turns.isToolOpen())
      turns.begin(makeTurn("2"))
      turns.give(text("c"))
      assert.strictEqual(turns.textLength(), 3)
    })
  )
})
