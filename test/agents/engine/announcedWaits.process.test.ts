/**
 * Waits that an agent announces do not count as silence: they are reported, nothing stalls meanwhile, and then the
 * budget runs.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { endingOf, kindsOf, noticesOf, timedOut } from "../../kit/events.ts"
import { ended, open, turnsDone, typed } from "../../kit/live.ts"
import { watched } from "../../kit/watched.ts"
import { init, keepAlive, result, text } from "../../kit/wire.ts"

const apiRetry = (fields: object) => ({ type: "system", subtype: "api_retry", attempt: 1, max_retries: 10, ...fields })
const rateLimit = (info: object) => ({ type: "rate_limit_event", rate_limit_info: info })
const timeouts = { idle: "30 seconds" } as const

/** The line, how long it is waited for by it, and what the notice says of it. The date of the test begins at 0. */
const waits: ReadonlyArray<readonly [string, object, number, RegExp]> = [
  ["a retry with its delay", apiRetry({ retry_delay_ms: 36_000, error_status: 529 }), 36, /in 36 s/],
  ["a retry that tells no delay: 60 s", apiRetry({ error: "connection_failed" }), 60, /of 10: connection_failed/],
  ["a limit that is reset then", rateLimit({ status: "rejected", resetsAt: 600 }), 600, /resets 1970-01-01T00:10:00/],
  ["a limit that tells no end: 60 s", rateLimit({ status: "rejected" }), 60, /rejected/],
  ["a limit that is reset tomorrow: one hour", rateLimit({ status: "rejected", resetsAt: 86_400 }), 3_600, /resets/],
  ["a limit that was reset already", rateLimit({ status: "rejected", resetsAt: -5 }), 0, /rejected/],
  ["a limit that still lets requests through", rateLimit({ status: "allowed_warning", resetsAt: 600 }), 0, /allowed/]
]

describe("the budget for silence begins after the wait, and no notice says that the run stalls before", () => {
  it.effect.each(waits)("%s", ([, line, seconds, reported]) =>
    watched(
      ({ script, events, pass, hasEnded }) =>
        Effect.gen(function* () {
          yield* script.say(init(), line)
          assert.match(noticesOf(events)[0]?.message ?? "", reported)
          yield* pass(seconds * 1000 + 14_999)
          assert.notInclude(kindsOf(events), "stalled")
          yield* pass(15_000)
          assert.isFalse(hasEnded())
          yield* pass(1)
          assert.deepStrictEqual(endingOf(events), timedOut("idle"))
        }),
      { timeouts }
    )
  )

  it.effect("a line in mid-wait, as of a sub-agent, does not cut it short", () =>
    watched(
      ({ script, pass, hasEnded }) =>
        Effect.gen(function* () {
          yield* script.say(init(), apiRetry({ retry_delay_ms: 120_000 }))
          yield* pass(60_000)
          yield* script.say(keepAlive)
          yield* pass(89_999)
          assert.isFalse(hasEnded())
          yield* pass(1)
          assert.isTrue(hasEnded())
        }),
      { timeouts }
    )
  )

  it.effect("what is waited for is over with the result", () =>
    watched(
      ({ script, pass, isComplete }) =>
        Effect.gen(function* () {
          yield* script.say(init(), apiRetry({ retry_delay_ms: 3_600_000 }), text("hi"), result("hi"))
          yield* pass(10_000)
          assert.isTrue(isComplete())
        }),
      { timeouts }
    )
  )
})

describe("in a live session", () => {
  it.effect("a wait does not count as silence, either", () =>
    Effect.gen(function* () {
      const { begin, log } = yield* open("claude", { timeouts: { idle: "5 minutes" } })
      yield* begin({ line: `${JSON.stringify(apiRetry({ retry_delay_ms: 1_200_000 }))}\n` }, { hang: true })
      yield* log.until((events) => kindsOf(events).includes("retry"))
      for (let minute = 0; minute < 22; minute += 1) yield* TestClock.adjust("1 minute")
      assert.notInclude(kindsOf(log.events), "stalled")
      assert.deepStrictEqual(typed(log.events, "turn_done"), [])
      const over = yield* Effect.forkChild(Effect.andThen(turnsDone(log, 1), ended(log)))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(TestClock.adjust("1 minute"), Effect.yieldNow)))
      yield* Fiber.join(over)
      assert.strictEqual(typed(log.events, "turn_done")[0]?.result.outcome, "timed_out")
    })
  )
})
