/** Which failures may be tried again, and when. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { resultOfNothing } from "../../src/agents/engine/result.ts"
import { type RetryOptions, retryPolicy } from "../../src/agents/Retry.ts"
import {
  Aborted,
  AgentError,
  AgentFailed,
  Exited,
  type FailureReason,
  InvalidParams,
  Killed,
  LimitReached,
  SpawnFailed,
  TimedOut
} from "../../src/contract/AgentError.ts"
import { mayRetry } from "../../src/contract/MayRetry.ts"
import { pass } from "../kit/watched.ts"

const errorOf = (reason: FailureReason, hadOutput = false) =>
  new AgentError({ cli: "claude", reason, result: resultOfNothing(reason), hadOutput })

const overloaded = (retryAfterMs?: number) =>
  new AgentFailed({
    code: "overloaded_error",
    category: "overloaded",
    detail: "Overloaded",
    ...(retryAfterMs === undefined ? {} : { retryAfterMs })
  })

describe("mayRetry", () => {
  const table: ReadonlyArray<readonly [string, FailureReason, boolean]> = [
    ["an overloaded server", overloaded(), true],
    ["a rate limit", new AgentFailed({ code: "rate_limit", category: "rate_limit", detail: "" }), true],
    ["a network that is down", new Exited({ exitCode: 1, category: "network", stderr: "" }), true],
    ["a queue that was too long", new LimitReached({ limit: "total", problem: "", maxWaitMs: 0 }), true],
    ["no file left to open", new SpawnFailed({ command: "x", problem: "", errno: "EMFILE" }), true],
    ["a program that may not be run", new SpawnFailed({ command: "x", problem: "", errno: "EACCES" }), false],
    ["a wrong key", new AgentFailed({ code: "authentication_error", category: "auth", detail: "" }), false],
    ["a prompt that is too long", new AgentFailed({ code: "", category: "context_overflow", detail: "" }), false],
    ["wrong params", new InvalidParams({ option: "prompt", problem: "is empty" }), false],
    ["a death by a signal", new Killed({ signal: "SIGKILL", stderr: "" }), false],
    ["an abort", new Aborted(), false],
    ["a budget that ran out", new TimedOut({ state: "idle", budgetMs: 1 }), false],
    ["a crash", new Exited({ exitCode: 1, category: "crash", stderr: "" }), false]
  ]
  it.each(table)("%s", (_, reason, expected) => {
    assert.strictEqual(mayRetry(errorOf(reason)), expected)
    assert.isFalse(mayRetry(errorOf(reason, true)), "after output")
  })
})

/** At which seconds the run was tried within ten minutes. */
const attempts = (failures: ReadonlyArray<AgentError>, options?: RetryOptions) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    let seconds = 0
    const run = Effect.suspend(() => {
      const failure = failures[times.length]
      times.push(seconds)
      return failure === undefined ? Effect.succeed("answer") : Effect.fail(failure)
    })
    const fiber = yield* Effect.retry(run, retryPolicy(options)).pipe(
      Effect.exit,
      Effect.forkChild({ startImmediately: true })
    )
    for (; seconds < 600; seconds++) yield* pass("1 second")
    return { times, exit: yield* Fiber.join(fiber) }
  })

describe("retryPolicy", () => {
  it.effect("waits longer each time and gives up", () =>
    Effect.gen(function* () {
      const { times, exit } = yield* attempts(Array.from({ length: 9 }, () => errorOf(overloaded())))
      assert.lengthOf(times, 4)
      assert.strictEqual(exit._tag, "Failure")
      const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
      for (const [index, wait] of waits.entries())
        assert.approximately(wait, 2 ** (index + 1), 2 ** (index + 1) / 5 + 1)
    })
  )

  it.effect("keeps the time that the CLI names", () =>
    Effect.gen(function* () {
      const { times, exit } = yield* attempts([errorOf(overloaded(60_000))])
      assert.lengthOf(times, 2)
      assert.approximately(times[1] ?? 0, 60, 1)
      assert.strictEqual(exit._tag, "Success")
    })
  )

  const until = (at: string, retryAfterMs?: number) =>
    new AgentFailed({
      ...{ code: "usage_limit_reached", category: "rate_limit", detail: "", retryAt: at },
      ...(retryAfterMs === undefined ? {} : { retryAfterMs })
    })

  it.effect("waits for the end of the limit, also if the failure is older than the first retry", () =>
    Effect.gen(function* () {
      const late = errorOf(until("1970-01-01T00:02:00.000Z", 120_000))
      const { times, exit } = yield* attempts([errorOf(overloaded(40_000)), late])
      assert.lengthOf(times, 3)
      assert.approximately(times[1] ?? 0, 40, 1)
      assert.approximately(times[2] ?? 0, 120, 1)
      assert.strictEqual(exit._tag, "Success")
    })
  )

  it.effect("gives up at once if the limit ends after the caller's patience", () =>
    Effect.gen(function* () {
      const failure = errorOf(until("1970-01-01T00:05:00.000Z"))
      assert.lengthOf((yield* attempts([failure], { maxDelay: "299 seconds" })).times, 1)
    })
  )

  it.effect("does not wait for hours, and repeats no output", () =>
    Effect.gen(function* () {
      assert.lengthOf((yield* attempts([errorOf(overloaded(3_600_000))])).times, 1)
      assert.lengthOf((yield* attempts([errorOf(overloaded(), true)])).times, 1)
      assert.lengthOf((yield* attempts([errorOf(overloaded())], { times: 0 })).times, 1)
    })
  )
})
