/** A failure that is given to `AgentRuntime.layerTest`: the event and the error channel tell the same. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import {
  BillingMismatch, CommandLineTooLong, type FailureReason, LimitReached, SpawnFailed, TimedOut
} from "../../src/contract/AgentError.ts" // biome-ignore format: one list
import type { AgentEvent, ErrorEvent } from "../../src/contract/AgentEvent.ts"
import { errorEvent } from "../../src/engine/failure.ts"
import { mayRetry } from "../../src/Retry.ts"
import { resultOf } from "../kit/events.ts"
import { done, error, execute, run, session, text } from "./given.ts"

describe("a failure", () => {
  it.effect("that an `error` tells has its code and category", () =>
    Effect.gen(function* () {
      const given = [session, text("Hm."), error("overloaded_error", "overloaded")]
      const events = yield* execute(given)
      assert.deepStrictEqual(events.slice(0, -1), given)
      assert.deepInclude(resultOf(events), { outcome: "failed", reason: "agent_failed", text: "Hm." })
      const failed = yield* Effect.flip(run(given))
      assert.strictEqual(failed._tag, "AgentError")
      assert.deepInclude(failed.reason, { _tag: "AgentFailed", code: "overloaded_error", category: "overloaded" })
      assert.deepInclude(failed, { cli: "test", hadOutput: true })
      assert.strictEqual(failed.result.text, "Hm.")
    })
  )

  const told = [
    ["aborted", "aborted", "aborted", "Aborted"],
    ["timeout_tool", "timeout", "timed_out", "TimedOut"],
    ["exit_code", "crash", "failed", "Exited"],
    ["signal", "crash", "failed", "Killed"],
    ["no_result", "protocol", "failed", "NoResult"],
    ["not_installed", "not_installed", "failed", "NotInstalled"],
    ["invalid_params", "invalid_request", "failed", "InvalidParams"]
  ] as const
  it.effect.each(told)("of code %s is what a real run would give for it", ([code, category, outcome, tag]) =>
    Effect.gen(function* () {
      const { reason, result } = yield* Effect.flip(run([error(code, category)]))
      assert.strictEqual(reason._tag, tag)
      assert.deepStrictEqual([reason.code, reason.category], [code, category])
      assert.deepStrictEqual([result.outcome, result.aborted], [outcome, code === "aborted"])
    })
  )

  it.effect("of a given `done` is in the error channel, too", () =>
    Effect.gen(function* () {
      const { result } = done
      const failed: AgentEvent = {
        type: "done",
        result: { ...result, outcome: "failed", reason: "exited", exit: { code: 3 }, stderrTail: "oh" }
      }
      const given = [error("exit_code", "crash"), failed]
      assert.deepStrictEqual(yield* execute(given), given)
      const { reason } = yield* Effect.flip(run(given))
      assert.deepInclude(reason, { _tag: "Exited", exitCode: 3, stderr: "oh" })
    })
  )

  it.effect("of a transient category may be tried again, with the time that was given", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(run([{ ...error("busy", "rate_limit"), retryAfterMs: 3000 }]))
      assert.isTrue(mayRetry(failed))
      assert.deepInclude(failed.reason, { message: "No.", retryAfterMs: 3000 })
    })
  )

  const ofARun: ReadonlyArray<FailureReason> = [
    new TimedOut({ state: "idle", budgetMs: 400_000 }),
    new TimedOut({ state: "total", budgetMs: 1500 }),
    new CommandLineTooLong({ option: "systemPrompt", bytes: 200_000, limitBytes: 131_071 }),
    new LimitReached({ limit: "total", problem: "3 runs are going on", maxWaitMs: 5000 }),
    new BillingMismatch({ policy: "api-key", reported: "none" }),
    new SpawnFailed({ command: "test", problem: "too many processes", errno: "EAGAIN" })
  ]
  it.effect.each(ofARun.map((reason) => [reason._tag, reason] as const))(
    "of a real run is the same again: %s",
    ([, reason]) =>
      Effect.gen(function* () {
        const again = yield* Effect.flip(run([errorEvent(reason)]))
        assert.deepStrictEqual(again.reason, reason)
        assert.strictEqual(again.reason.message, reason.message)
      })
  )

  const wrong: ReadonlyArray<readonly [string, Partial<ErrorEvent>]> = [
    ["retryable is false, but true for AgentFailed", { retryable: false }],
    ["retryable is true, but false for AgentFailed", { category: "auth", retryable: true }],
    ['category is "overloaded", but "aborted" for Aborted', { code: "aborted" }],
    [
      "retryAfterMs is 7, but undefined for TimedOut",
      { code: "timeout_idle", category: "timeout", retryable: false, retryAfterMs: 7 }
    ]
  ]
  it.effect.each(wrong)("that no run has is a defect, by both methods: %s", ([told, change]) =>
    Effect.gen(function* () {
      const given = [session, { ...error("overloaded", "overloaded"), ...change }]
      const exits: ReadonlyArray<Exit.Exit<unknown, unknown>> = [
        yield* Effect.exit(execute(given)),
        yield* Effect.exit(run(given))
      ]
      for (const exit of exits) {
        if (Exit.isSuccess(exit)) return assert.fail("a defect")
        assert.isTrue(Cause.hasDies(exit.cause))
        assert.include(String(Cause.squash(exit.cause)), `event 2, of type "error", says what no run would: ${told}`)
      }
    })
  )
})
