/** Turns of a live session, for every CLI value: one process, one turn after another, each with one end. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { errorOf, kindsOf, textOf } from "../kit/events.ts"
import { assertWhole, content, ended, ids, open, script, turnResult, turnsDone, typed } from "../kit/live.ts"

describe.each(ids)("%s", (id) => {
  it.live("takes a turn, and another", () =>
    Effect.gen(function* () {
      const { session, log, turn, alive, close } = yield* open(id)
      const first = yield* turn({ say: "hello" })
      assert.deepStrictEqual(content(first), ["hello"])
      const { sessionId } = session
      assert.isDefined(sessionId)
      assert.deepInclude(turnResult(first), { outcome: "completed", text: textOf(first), sessionId })
      const [pid, ...rest] = alive()
      assert.isDefined(pid)
      assert.deepStrictEqual(rest, [])
      const second = yield* Stream.runCollect(session.turn("no script"))
      assert.deepInclude(turnResult(second), { outcome: "completed", text: "no script" })
      assert.deepStrictEqual(alive(), [pid], "the same process")
      yield* close
      yield* ended(log)
      assertWhole(log.events)
      const done = typed(log.events, "done").map(({ result }) => [result.outcome, result.text])
      assert.deepStrictEqual(done, [["completed", ""]])
      assert.deepStrictEqual(alive(), [])
    })
  )

  it.live("emits the tools and texts of a turn in their order, and unknown lines as `unknown`", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id)
      const tool = { id: "t1", command: "ls" }
      const events = yield* turn({ say: "a" }, { tool }, { malformed: true }, { unknown: true }, { say: "b" })
      const ordered = events.filter(({ type }) => ["text", "tool_use", "tool_result"].includes(type))
      assert.deepStrictEqual(
        ordered.map(({ type }) => type),
        ["text", "tool_use", "tool_result", "text"]
      )
      assert.include(kindsOf(events), "malformed_line")
      assert.isNotEmpty(typed(events, "unknown"))
      assert.strictEqual(turnResult(events).outcome, "completed")
    })
  )

  it.live("fails a turn and takes the next one", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id)
      const failed = yield* turn({ fail: "the model is out of order" })
      assert.strictEqual(turnResult(failed).outcome, "failed")
      assert.include(errorOf(failed).message, "out of order")
      assert.strictEqual(turnResult(yield* turn({ say: "again" })).outcome, "completed")
    })
  )

  it.live("runs concurrent turns one after another", () =>
    Effect.gen(function* () {
      const { turn, log } = yield* open(id)
      const turns = ["a", "b", "c"].map((text) => turn({ say: text }))
      const all = yield* Effect.all(turns, { concurrency: "unbounded" })
      assert.deepStrictEqual(all.map(content), [["a"], ["b"], ["c"]])
      yield* turnsDone(log, 3)
      assert.deepStrictEqual(content(log.events), ["a", "b", "c"])
    })
  )

  it.live("runs a turn each time its stream is consumed", () =>
    Effect.gen(function* () {
      const { session } = yield* open(id)
      const turn = session.turn(script({ say: "x" }))
      assert.deepStrictEqual(content(yield* Stream.runCollect(turn)), ["x"])
      assert.deepStrictEqual(content(yield* Stream.runCollect(turn)), ["x"])
    })
  )
})
