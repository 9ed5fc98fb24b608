/** A failure in the script of `TestRuntime.layer`: the events and the error channel tell the same. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { errorEvent } from "../../src/agents/engine/result.ts"
import { Aborted, AgentFailed, CommandLineTooLong, Exited, type FailureReason, SpawnFailed, TimedOut } from "../../src/contract/AgentError.ts" // biome-ignore format: one list
import type { AgentEvent, ErrorEvent } from "../../src/contract/AgentEvent.ts"
import { mayRetry } from "../../src/contract/MayRetry.ts"
import { TestRuntime } from "../../src/testingEffect.ts"
import { errorOf, resultOf } from "../kit/events.ts"
import { turnResult } from "../kit/live.ts"
import { done, error, execute, run, session, text } from "./events.ts"

describe("a failure", () => {
  it.effect("that an `error` tells has its code and category", () =>
    Effect.gen(function* () {
      const input = [session, text("Hm."), error("overloaded_error", "overloaded")]
      const events = yield* execute(input)
      assert.deepStrictEqual(events.slice(0, -1), input)
      assert.deepInclude(resultOf(events), { outcome: "failed", reason: "agent_failed", text: "Hm." })
      const failed = yield* Effect.flip(run(input))
      assert.strictEqual(failed._tag, "AgentError")
      assert.deepInclude(failed.reason, { _tag: "AgentFailed", code: "overloaded_error", category: "overloaded" })
      assert.deepInclude(failed, { cli: "test", hadOutput: true })
      assert.strictEqual(failed.result.text, "Hm.")
    })
  )

  const codes = [
    ["aborted", "aborted"],
    ["timeout_tool", "timeout"],
    ["exit_code", "crash"]
  ] as const
  it.effect.each(codes)("that an `error` of code %s tells is the agent's own", ([code, category]) =>
    Effect.gen(function* () {
      const { reason, result } = yield* Effect.flip(run([error(code, category)]))
      assert.deepInclude(reason, { _tag: "AgentFailed", code, category, detail: "No." })
      assert.deepInclude(result, { outcome: "failed", reason: "agent_failed", aborted: false })
    })
  )

  it.effect("of a given `done` has its result, also in the error channel", () =>
    Effect.gen(function* () {
      const failed: AgentEvent = {
        type: "done",
        result: { ...done.result, outcome: "failed", reason: "exited", exit: { code: 3 }, stderrTail: "oh" }
      }
      const input = [error("exit_code", "crash"), failed]
      assert.deepStrictEqual(yield* execute(input), input)
      const { reason, result } = yield* Effect.flip(run(input))
      assert.deepInclude(reason, { _tag: "AgentFailed", code: "exit_code", category: "crash" })
      assert.deepStrictEqual(result, failed.result)
    })
  )

  it.effect("of a transient category may be tried again, with the time that was given", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(run([{ ...error("busy", "rate_limit"), retryAfterMs: 3000 }]))
      assert.isTrue(mayRetry(failed))
      assert.deepInclude(failed.reason, { message: "No.", retryAfterMs: 3000 })
    })
  )

  const reasons: ReadonlyArray<FailureReason> = [
    new Aborted(),
    new TimedOut({ state: "tool", budgetMs: 1500 }),
    new Exited({ exitCode: 3, category: "crash", stderr: "oh" }),
    new CommandLineTooLong({ option: "systemPrompt", bytes: 200_000, limitBytes: 131_071 }),
    new SpawnFailed({ command: "test", problem: "too many processes", errno: "EAGAIN" }),
    new AgentFailed({
      ...{ code: "busy", category: "rate_limit", detail: "Later." },
      ...{ retryAfterMs: 3000, retryAt: "1970-01-01T00:00:03.000Z" }
    })
  ]
  it.effect.each(reasons.map((reason) => [reason._tag, reason] as const))(
    "that stands in the script itself ends the run with it: %s",
    ([, reason]) =>
      Effect.gen(function* () {
        const input = [session, text("Hm."), reason]
        const failed = yield* Effect.flip(run(input))
        assert.strictEqual(failed.reason, reason)
        assert.isTrue(failed.hadOutput)
        assert.deepInclude(failed.result, { text: "Hm.", sessionId: "s-1", durationMs: 0 })
        const reported = [session, text("Hm."), errorEvent(reason), { type: "done", result: failed.result }]
        assert.deepStrictEqual<unknown>(yield* execute(input), reported)
      })
  )

  it.effect("that stands in the script has its outcome, and ends a source that goes on without a word", () =>
    Effect.gen(function* () {
      const ended = (reason: FailureReason) =>
        Effect.flip(run(() => Stream.concat(Stream.make<[AgentEvent, FailureReason]>(text("a"), reason), Stream.never)))
      const { result } = yield* ended(new TimedOut({ state: "idle", budgetMs: 1500 }))
      assert.deepInclude(result, { outcome: "timed_out", reason: "timed_out", aborted: false })
      assert.deepInclude((yield* ended(new Aborted())).result, { outcome: "aborted", reason: "aborted", aborted: true })
    })
  )

  it.effect("that stands in the script is that of a turn, and of its session's events", () =>
    Effect.gen(function* () {
      const reason = new Exited({ exitCode: 3, category: "crash", stderr: "" })
      const agent = yield* AgentRuntime
      const turn = yield* Effect.scoped(Effect.flatMap(agent.open(), ({ turn }) => Stream.runCollect(turn("go"))))
      assert.deepInclude(turnResult(turn), { outcome: "failed", reason: "exited", text: "Hm." })
      assert.deepStrictEqual(errorOf(turn), errorEvent(reason))
    }).pipe(
      Effect.provide(TestRuntime.layer([text("Hm."), new Exited({ exitCode: 3, category: "crash", stderr: "" })]))
    )
  )

  const retryable = (category: ErrorEvent["category"], retryable: boolean) => [
    session,
    { ...error("busy", category), retryable }
  ]
  const { result } = done
  const wrong: ReadonlyArray<readonly [string, ReadonlyArray<AgentEvent | FailureReason>]> = [
    [
      'event 2 says what no run would: retryable is false, but true for category "overloaded"; a failure of',
      retryable("overloaded", false)
    ],
    ["event 2 says what no run would: retryable is true, but false", retryable("auth", true)],
    ['event 2 says "completed", behind an error', [error("busy", "overloaded"), done]],
    ['event 1 says "failed", but no error', [{ type: "done", result: { ...result, outcome: "failed" } }]],
    ["event 2 stands behind the end of the run", [new Aborted(), text("too late")]],
    ["event 2 stands behind the end of the run", [new Aborted(), done]]
  ]
  it.effect.each(wrong)("that no run has is a defect, by both methods: %s", ([reported, input]) =>
    Effect.gen(function* () {
      const exits: ReadonlyArray<Exit.Exit<unknown, unknown>> = [
        yield* Effect.exit(execute(input)),
        yield* Effect.exit(run(input))
      ]
      for (const exit of exits) {
        if (Exit.isSuccess(exit)) return assert.fail("a defect")
        assert.isTrue(Cause.hasDies(exit.cause))
        assert.include(String(Cause.squash(exit.cause)), `TestRuntime: ${reported}`)
      }
    })
  )
})
