/** Every state of the watchdog through the whole pipeline, on a scripted process and `TestClock`. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { completed, endingOf, errorOf, kindsOf, resultOf, timedOut } from "../../kit/events.ts"
import { type Watched, watched } from "../../kit/watched.ts"
import { background, init, keepAlive, result, taskEnded, text, toolResult, toolUse } from "../../kit/wire.ts"

/** The run ends once `budget` has passed, not a moment sooner, and says so. */
const endsAfter = ({ hasEnded, events, script, pass }: Watched, state: string, budget: Duration.Input) =>
  Effect.gen(function* () {
    const ms = Duration.toMillis(budget)
    yield* pass(ms - 1)
    assert.isFalse(hasEnded(), `${state} ended early`)
    yield* pass(1)
    assert.isTrue(hasEnded(), `${state} did not end`)
    assert.deepStrictEqual(endingOf(events), timedOut(state))
    assert.strictEqual(errorOf(events).retryable, false)
    assert.deepStrictEqual(script.signals, ["SIGTERM"])
  })

describe("the states and their budgets", () => {
  it.effect("startup: 60 s without a line", () => watched((run) => endsAfter(run, "startup", "60 seconds")))

  it.effect("startup: bytes without a complete line do not count", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.pass("59 seconds")
        yield* run.script.print('{"type":')
        yield* endsAfter(run, "startup", "1 second")
      })
    )
  )

  it.effect("startup: a line that is dropped for its size was a line", () =>
    watched(
      (run) =>
        Effect.gen(function* () {
          yield* run.script.print(`${"x".repeat(200)}\n`)
          yield* endsAfter(run, "idle", "400 seconds")
        }),
      { maxLineBytes: 100 }
    )
  )

  it.effect("idle: what Claude's own recovery needs, since the last line", () =>
    watched((run) => Effect.andThen(run.script.say(init()), endsAfter(run, "idle", "400 seconds")))
  )

  it.effect("idle: each line starts it anew, also one without an event", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init())
        for (const line of [text("a"), keepAlive, { type: "of tomorrow" }]) {
          yield* run.pass("399 seconds")
          yield* run.script.say(line)
        }
        yield* endsAfter(run, "idle", "400 seconds")
      })
    )
  )

  it.effect("idle: bytes without a complete line do not restart it", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init())
        yield* run.pass("300 seconds")
        yield* run.script.print('{"type":')
        yield* endsAfter(run, "idle", "100 seconds")
      })
    )
  )

  it.effect("tool: an hour of silence while a call is open", () =>
    watched((run) => Effect.andThen(run.script.say(init(), toolUse("t1")), endsAfter(run, "tool", "1 hour")))
  )

  it.effect("tool: two calls at once, and a sub-agent's call, hold it open until the last has ended", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), toolUse("t1"), toolUse("t2", "Agent"), toolUse("t3", "Bash", "t2"))
        yield* run.pass("59 minutes")
        yield* run.script.say(toolResult("t1"))
        yield* run.pass("59 minutes")
        yield* run.script.say(toolResult("t3", "t2"))
        yield* run.pass("59 minutes")
        assert.isFalse(run.hasEnded())
        yield* run.script.say(toolResult("t2"))
        yield* endsAfter(run, "idle", "400 seconds")
      })
    )
  )

  it.effect("tool: background work counts as one, also after a result", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), background("b1"), result("in the background"))
        yield* run.pass("59 minutes")
        assert.isFalse(run.hasEnded())
        yield* endsAfter(run, "tool", "1 minute")
      })
    )
  )

  it.effect("linger: a result stands, but ended background work may begin one more turn; silence confirms it", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), background("b1"), result("hi"), taskEnded("b1"), background())
        yield* run.pass(9_999)
        assert.isFalse(run.hasEnded())
        yield* run.pass(1)
        assert.deepStrictEqual(endingOf(run.events), completed)
        assert.deepStrictEqual(
          kindsOf(run.events).filter((kind) => kind === "stalled"),
          []
        )
        assert.deepStrictEqual(run.script.signals, ["SIGTERM"])
      })
    )
  )

  it.effect("total: however lively the run is", () =>
    watched(
      (run) =>
        Effect.gen(function* () {
          yield* run.script.say(init())
          for (let minute = 1; minute < 10; minute += 1) {
            yield* run.pass("1 minute")
            yield* run.script.say(text("."))
          }
          yield* endsAfter(run, "total", "1 minute")
        }),
      { timeouts: { total: "10 minutes" } }
    )
  )

  it.effect("a budget of the run wins over the agent's", () =>
    watched(
      (run) => endsAfter(run, "startup", "5 seconds"),
      { timeouts: { startup: "2 minutes" } },
      {
        timeouts: { startup: 5_000 }
      }
    )
  )
})

describe("switching", () => {
  it.effect("from tool to idle shortens the budget at once", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), toolUse("t1"))
        yield* run.pass("30 minutes")
        yield* run.script.say(toolResult("t1"))
        yield* endsAfter(run, "idle", "400 seconds")
      })
    )
  )

  it.effect("from idle to tool lengthens it, although half of idle was told", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init())
        yield* run.pass("399 seconds")
        yield* run.script.say(toolUse("t1"))
        yield* endsAfter(run, "tool", "1 hour")
      })
    )
  )

  it.effect('"Infinity" switches every budget off', () =>
    watched(
      (run) =>
        Effect.gen(function* () {
          yield* run.pass("400 days")
          yield* run.script.say(init())
          yield* run.pass("400 days")
          yield* run.script.say(toolUse("t1"))
          yield* run.pass("400 days")
          assert.isFalse(run.hasEnded())
          assert.deepStrictEqual(kindsOf(run.events), [])
          yield* run.script.say(toolResult("t1"), result("at last"))
          assert.strictEqual(resultOf(run.events).outcome, "completed")
          yield* run.script.exit({ code: 0 })
        }),
      { timeouts: { startup: "Infinity", idle: "Infinity", tool: "Infinity", total: "Infinity" } }
    )
  )
})
