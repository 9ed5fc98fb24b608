/**
 * Requests that wait for a person, for every CLI value that asks: the deadline or the end answers, and waiting does not time out.
 * Real processes, and a clock that the test moves.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { PermissionAnswer } from "../../src/contract/Rule.ts"
import { Approvals } from "../../src/index.ts"
import { kindsOf } from "../kit/events.ts"
import { askers, assertWhole, content, ended, open, requested, turnResult, turnsDone, typed } from "../kit/live.ts"
import { until } from "../kit/processes.ts"

const asking = { approvals: [Approvals.ask()] }
const ask = (name: string) => ({ ask: { id: name, command: `run ${name}` } })

/** Advances the clock by a minute at a time, so that timers run in between. */
const pass = (minutes: number) =>
  Effect.forEach(Array.from({ length: minutes }), () => TestClock.adjust("1 minute"), { discard: true })

describe.each(askers)("%s", (id) => {
  it.effect("is denied after 300 s, once, without other traffic", () =>
    Effect.gen(function* () {
      const { session, begin, log } = yield* open(id, asking)
      yield* begin(ask("a"), { await: 1 }, { tell: true })
      const { requestId } = yield* requested(log, "run a")
      yield* TestClock.adjust("299999 millis")
      assert.deepStrictEqual(typed(log.events, "permission_decision"), [])
      yield* TestClock.adjust("1 millis")
      yield* turnsDone(log, 1)
      assert.deepInclude(typed(log.events, "permission_decision")[0], { decision: "deny", by: "deadline" })
      assert.match(content(log.events).join(), /(^|,)a=deny[^,]*$/)
      assert.isFalse(yield* session.decide(requestId, { decision: "allow" }))
    })
  )

  it.effect("gets no second answer when the deadline passes after the first", () =>
    Effect.gen(function* () {
      const { session, begin, turn, log } = yield* open(id, asking)
      yield* begin(ask("a"), { await: 1 }, { steered: 1 }, { tell: true })
      const { requestId } = yield* requested(log, "run a")
      yield* TestClock.adjust("299 seconds")
      assert.isTrue(yield* session.decide(requestId, { decision: "allow" }))
      yield* TestClock.adjust("2 seconds")
      yield* session.interrupt
      const events = yield* turn({ tell: true })
      assert.deepStrictEqual(content(events), ["a=allow"])
      assert.strictEqual(typed(log.events, "permission_decision").length, 1)
    })
  )

  it.effect("decides `otherwise` if a handler is too slow, and ignores its later answer", () =>
    Effect.gen(function* () {
      const slow = yield* Deferred.make<PermissionAnswer>()
      const aborted = yield* Deferred.make<void>()
      const approvals = [
        Approvals.ask(
          (_, { signal }) => {
            signal.addEventListener("abort", () => Deferred.doneUnsafe(aborted, Effect.void))
            return Deferred.await(slow)
          },
          { deadline: "10 seconds", otherwise: "allow" }
        )
      ]
      const { begin, turn, log } = yield* open(id, { approvals })
      yield* begin(ask("a"), { await: 1 }, { tell: true })
      yield* requested(log, "run a")
      yield* TestClock.adjust("10 seconds")
      yield* Deferred.await(aborted)
      yield* Deferred.succeed(slow, { decision: "deny" })
      yield* turnsDone(log, 1)
      assert.deepStrictEqual(content(log.events), ["a=allow"])
      assert.deepStrictEqual(content(yield* turn({ say: "-" }, { tell: true })), ["-"])
    })
  )

  it.effect.each([
    [
      "throws",
      () => {
        throw new Error("mine")
      }
    ],
    ["rejects", () => Promise.reject(new Error("mine"))],
    ["fails", () => Effect.fail("mine")],
    ["dies", () => Effect.die("mine")]
  ] as const)("is denied by a handler that %s", ([_, handler]) =>
    Effect.gen(function* () {
      const { turn } = yield* open(id, { approvals: [Approvals.ask(handler)] })
      const events = yield* turn(ask("a"), { await: 1 }, { tell: true })
      assert.match(content(events).join(), /(^|,)a=deny[^,]*$/)
      assert.strictEqual(turnResult(events).outcome, "completed")
    })
  )

  it.effect("may wait longer than any time limit: no notice, no timeout; then silence counts again", () =>
    Effect.gen(function* () {
      const approvals = [Approvals.ask(undefined, { deadline: "10 hours" })]
      const { session, begin, log, alive } = yield* open(id, {
        approvals,
        timeouts: { idle: "5 minutes", tool: "5 minutes" }
      })
      yield* begin(ask("a"), { await: 1 }, { hang: true })
      const { requestId } = yield* requested(log, "run a")
      yield* pass(5 * 60)
      assert.notInclude(kindsOf(log.events), "stalled")
      assert.isFalse(log.events.some(({ type }) => type === "turn_done"))
      assert.isTrue(yield* session.decide(requestId, { decision: "allow" }))
      const over = yield* Effect.forkChild(ended(log))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(TestClock.adjust("1 minute"), Effect.yieldNow)))
      yield* Fiber.join(over)
      assert.include(kindsOf(log.events), "stalled")
      assert.strictEqual(typed(log.events, "turn_done")[0]?.result.outcome, "timed_out")
      yield* until(() => alive().length === 0)
      assertWhole(log.events)
    })
  )
})
