/** The watchdog's effect on the process at the end of a run, and its cost while it waits. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { makeWatchdog, timeLimitsOf } from "../../../src/agents/engine/watchdog.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { kindsOf, noticesOf, resultOf } from "../../kit/events.ts"
import { pass, watched } from "../../kit/watched.ts"
import { init, result, text } from "../../kit/wire.ts"

/** Options first: they say what is tested. */
const ended = (options: AgentOptions, test: Parameters<typeof watched>[0]) => watched(test, options)

describe("linger", () => {
  it.effect("`done` comes with the result; the process has 10 s more, then the stop signal; then the stream ends", () =>
    ended({}, ({ script, events, isComplete }) =>
      Effect.gen(function* () {
        yield* script.say(init(), text("hi"), result("hi"))
        assert.strictEqual(resultOf(events).outcome, "completed")
        assert.isFalse(isComplete())
        yield* pass(9_999)
        assert.deepStrictEqual(script.signals, [])
        yield* pass(1)
        assert.deepStrictEqual(script.signals, ["SIGTERM"])
        assert.isTrue(isComplete())
      })
    )
  )

  it.effect("a process that leaves by itself gets no signal", () =>
    ended({}, ({ script, isComplete }) =>
      Effect.gen(function* () {
        yield* script.say(init(), result("hi"))
        yield* pass(5_000)
        assert.isFalse(isComplete())
        yield* script.exit({ code: 0 })
        assert.isTrue(isComplete())
        assert.deepStrictEqual(script.signals, [])
      })
    )
  )

  it.effect("is configurable, and 0 means at once", () =>
    ended({ timeouts: { linger: 0 } }, ({ script, isComplete }) =>
      Effect.gen(function* () {
        yield* script.say(init(), result("hi"))
        assert.deepStrictEqual(script.signals, ["SIGTERM"])
        assert.isTrue(isComplete())
      })
    )
  )
})

describe("the grace between the stop signal and SIGKILL", () => {
  const deaf = (options: AgentOptions, speaks: boolean, graceMs: number) =>
    ended(options, ({ script, events, isComplete }) =>
      Effect.gen(function* () {
        script.ignoreSignals()
        if (speaks) yield* script.say(init())
        yield* pass(speaks ? 400_000 : 60_000)
        assert.strictEqual(resultOf(events).outcome, "timed_out")
        assert.deepStrictEqual(script.signals, ["SIGTERM"])
        yield* pass(graceMs - 1)
        assert.deepStrictEqual(script.signals, ["SIGTERM"])
        assert.isFalse(isComplete())
        yield* pass(1)
        assert.deepStrictEqual(script.signals, ["SIGTERM", "SIGKILL"])
        assert.isTrue(isComplete())
      })
    )

  it.effect("is 10 s", () => deaf({}, true, 10_000))
  it.effect("is 2 s for a process that never printed a line", () => deaf({}, false, 2_000))
  it.effect("is the option's, whatever the process printed", () => deaf({ killGrace: "3 seconds" }, true, 3_000))
})

describe("budgets", () => {
  it("are the run's, else the agent's, else the default; undefined sets none", () => {
    const cli = { idle: "400 seconds" } as const
    const agent = { idle: 60_000, tool: 5_000, linger: 0 }
    const run = { idle: undefined, tool: 1_000, linger: undefined }
    const { idle, tool, linger, total } = timeLimitsOf(cli, agent, run)
    assert.deepStrictEqual([idle, tool, linger, total], [60_000, 1_000, 0, Number.POSITIVE_INFINITY])
  })
})

describe("the watchdog by itself", () => {
  const budgets = timeLimitsOf({ idle: "400 seconds" })

  it.effect("a person who is asked may take any time; after the answer the model is the one to speak again", () =>
    Effect.gen(function* () {
      const notices: Array<AgentEvent> = []
      const watchdog = yield* makeWatchdog(budgets, (notice) => notices.push(notice))
      const fiber = yield* Effect.forkChild(watchdog.fired(), { startImmediately: true })
      watchdog.touch("approval")
      yield* pass(30 * 24 * 3_600_000)
      assert.isUndefined(fiber.pollUnsafe())
      assert.deepStrictEqual(kindsOf(notices), [])
      watchdog.touch("idle")
      yield* pass(400_000)
      const fired = yield* Fiber.join(fiber)
      assert.deepInclude(fired, { state: "idle", budgetMs: 400_000 })
    })
  )

  it.effect("looks once a second through a silence, also when it has no notice left to give", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let sleeps = 0
      const counting: Clock.Clock = Object.create(clock, {
        sleep: {
          value: (duration: Parameters<Clock.Clock["sleep"]>[0]) => {
            sleeps += 1
            return clock.sleep(duration)
          }
        }
      })
      const silent = makeWatchdog(budgets, () => {})
      const watchdog = yield* Effect.provideService(silent, Clock.Clock, counting)
      yield* Effect.forkChild(watchdog.fired(), { startImmediately: true })
      watchdog.touch("idle")
      for (let silence = 0; silence < 10; silence += 1) {
        yield* pass(300_000)
        watchdog.touch("idle")
      }
      sleeps = 0
      yield* pass(210_000)
      assert.isAbove(sleeps, 0)
      assert.isAtMost(sleeps, 212, "it wakes up again and again for nothing")
    })
  )
})

describe("the notice `stalled`", () => {
  it.effect("comes at half of the budget, once for each silence", () =>
    watched((run) =>
      Effect.gen(function* () {
        const stalled = () => kindsOf(run.events).filter((kind) => kind === "stalled").length
        yield* run.pass(29_999)
        assert.strictEqual(stalled(), 0)
        yield* run.pass(1)
        assert.strictEqual(stalled(), 1)
        assert.deepInclude(noticesOf(run.events)[0]?.data, { state: "startup", silentMs: 30_000, budgetMs: 60_000 })
        yield* run.script.say(init())
        yield* run.pass("399 seconds")
        assert.strictEqual(stalled(), 2)
        assert.deepInclude(noticesOf(run.events)[1]?.data, { state: "idle", silentMs: 200_000, budgetMs: 400_000 })
        yield* run.script.say(text("."))
        yield* run.pass("199 seconds")
        assert.strictEqual(stalled(), 2)
      })
    )
  )

  it.effect("comes ten times in a run and no more, and the watchdog still ends the run", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init())
        for (let silence = 0; silence < 12; silence += 1) {
          yield* run.pass("201 seconds")
          yield* run.script.say(text("."))
        }
        assert.strictEqual(kindsOf(run.events).filter((kind) => kind === "stalled").length, 10)
        yield* run.pass("400 seconds")
        assert.strictEqual(resultOf(run.events).outcome, "timed_out")
      })
    )
  )

  it.effect("does not come after the result, however long the process lingers", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), result("done"))
        yield* run.pass("1 hour")
        assert.deepStrictEqual(kindsOf(run.events), [])
      })
    )
  )
})
