/** A live session over a scripted process that forgets the result of a turn: the turn ends, and the session goes on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { Timeouts } from "../../../src/contract/AgentExecuteParams.ts"
import { granted, lifecycle } from "../../cli/claude/live/lines.ts"
import { kindsOf } from "../../kit/events.ts"
import { turnResult, typed } from "../../kit/live.ts"
import { Script, scriptedLayer, settled } from "../../kit/scripted.ts"
import { pass } from "../../kit/watched.ts"
import { hook, init, message, result } from "../../kit/wire.ts"

const open = Effect.fnUntraced(function* (timeouts: Timeouts = {}) {
  const agent = yield* AgentRuntime
  const script = yield* Script
  const opening = yield* Effect.forkScoped(agent.open({ timeouts }), { startImmediately: true })
  yield* settled
  yield* script.say(granted("reins-1"))
  const session = yield* Fiber.join(opening)
  // A session that closes waits for its process.
  yield* Effect.addFinalizer(() => script.exit({ code: 0 }))
  const events: Array<AgentEvent> = []
  yield* Effect.forkScoped(
    Stream.runForEach(session.events, (event) => Effect.sync(() => events.push(event))),
    { startImmediately: true }
  )
  const uuid = () => {
    const lines = script.stdin().trim().split("\n")
    return String(JSON.parse(lines.at(-1) ?? "{}").uuid)
  }
  const turn = Effect.fnUntraced(function* (prompt: string) {
    const fiber = yield* Effect.forkScoped(Stream.runCollect(session.turn(prompt)), { startImmediately: true })
    yield* settled
    const text = uuid()
    yield* script.say(lifecycle(text, "started"), init())
    return { text, events: Fiber.join(fiber), isOver: () => fiber.pollUnsafe() !== undefined }
  })
  return { script, session, events, turn }
})

describe("a turn whose result never comes", () => {
  it.effect("ends completed, and the session takes the next one", () =>
    Effect.gen(function* () {
      const { script, events, turn } = yield* open()
      const first = yield* turn("one")
      yield* script.say(...message("first"))
      yield* pass(59_999)
      assert.isFalse(first.isOver())
      yield* pass(1)
      const ended = yield* first.events
      assert.deepInclude(turnResult(ended), { outcome: "completed", text: "first", stopReason: "end_turn" })
      assert.deepStrictEqual(turnResult(ended).usage, { inputTokens: 10, outputTokens: 5 })
      assert.deepStrictEqual(kindsOf(ended), ["stalled", "result_missing"])
      // A session at rest has no limit.
      yield* pass("10 minutes")
      assert.deepStrictEqual(typed(events, "done"), [])
      yield* script.say(result("first", { user_message_uuids: [first.text] }))
      assert.lengthOf(typed(events, "turn_done"), 1)
      const second = yield* turn("two")
      yield* script.say(...message("second"), result("second", { user_message_uuids: [second.text] }))
      assert.deepInclude(turnResult(yield* second.events), { outcome: "completed", text: "second" })
      assert.lengthOf(typed(events, "turn_done"), 2)
      assert.deepStrictEqual(script.signals, [])
    }).pipe(Effect.scoped, Effect.provide(scriptedLayer()))
  )

  it.effect("of several turns in a row, each ends", () =>
    Effect.gen(function* () {
      const { script, turn } = yield* open({ settle: "5 seconds" })
      for (const answer of ["one", "two", "three"]) {
        const { events } = yield* turn(answer)
        yield* script.say(...message(answer))
        yield* pass("5 seconds")
        assert.deepInclude(turnResult(yield* events), { outcome: "completed", text: answer })
      }
    }).pipe(Effect.scoped, Effect.provide(scriptedLayer()))
  )

  it.effect("waits for a hook of the settings, and ends the session at the limit of idle if that hangs", () =>
    Effect.gen(function* () {
      const { script, events, turn } = yield* open()
      const { isOver } = yield* turn("one")
      yield* script.say(...message("first"), hook("hook_started"))
      yield* pass(399_999)
      assert.isFalse(isOver())
      yield* pass(1)
      assert.strictEqual(typed(events, "turn_done")[0]?.result.outcome, "timed_out")
    }).pipe(Effect.scoped, Effect.provide(scriptedLayer()))
  )
})
