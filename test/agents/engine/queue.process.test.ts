/** Runs that wait for their start, as a caller sees them: real processes, and the limits of an agent. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import { defaultGates, Gates } from "../../../src/agents/engine/Gates.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { layerOf, program, running } from "../../kit/agent.ts"
import { abortedEnding, completed, endingOf, errorOf, kindsOf, pidsOf, resultOf, timedOut } from "../../kit/events.ts"
import { assertAllDead, isAlive, until } from "../../kit/processes.ts"

/** Each test counts its own runs. */
const alone = Effect.provideServiceEffect(
  Gates,
  Effect.sync(() => defaultGates(() => 2 ** 40))
)

const limits = { perCli: 1 }

/** A run that goes on by itself, and what it has said so far. */
const begin = (options: AgentOptions, params: Partial<AgentExecuteParams> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const agent = yield* Layer.buildWithScope(layerOf(options), scope).pipe(
      Effect.flatMap((context) => Effect.provideContext(AgentRuntime, context))
    )
    const events: Array<AgentEvent> = []
    const fiber = yield* agent.execute({ prompt: "hello", ...params }).pipe(
      Stream.runForEach((event) => Effect.sync(() => events.push(event))),
      Effect.forkChild({ startImmediately: true })
    )
    return { events, ended: Fiber.join(fiber), close: Scope.close(scope, Exit.void) }
  })

const isQueued = (events: ReadonlyArray<AgentEvent>) => kindsOf(events).includes("queued")

describe("a run that is queued", () => {
  it.live("starts when the one before is gone, and its time in the queue is on no budget", () =>
    Effect.gen(function* () {
      const silent = yield* running
      const first = yield* begin({ ...silent.options, timeouts: { total: "6 seconds" } })
      const pid = yield* silent.pid
      const second = yield* begin({ ...program("forever"), limits, timeouts: { total: "5 seconds" } })
      yield* until(() => isQueued(second.events))
      yield* until(() => second.events.length > 1)
      assert.isFalse(isAlive(pid))
      assert.deepStrictEqual(
        second.events.map(({ type }) => type),
        ["notice", "session"]
      )
      yield* first.ended
      assert.deepStrictEqual(endingOf(first.events), timedOut("total"))
      yield* second.close
      yield* second.ended
      assert.isAbove(resultOf(second.events).durationMs, 5_000)
      assertAllDead(pidsOf(second.events))
    }).pipe(alone)
  )

  it.live.each(["abort", "close"] as const)("starts nothing when it is told to leave: %s", (how) =>
    Effect.gen(function* () {
      const silent = yield* running
      const first = yield* begin(program("forever"))
      yield* until(() => first.events.length > 0)
      const controller = new AbortController()
      const second = yield* begin({ ...silent.options, limits }, { abortSignal: controller.signal })
      yield* until(() => isQueued(second.events))
      if (how === "abort") controller.abort()
      else yield* second.close
      yield* second.ended
      assert.deepStrictEqual(endingOf(second.events), abortedEnding)
      assert.isFalse(silent.hasStarted())
      const third = yield* begin({ ...program("speaks"), limits })
      yield* first.close
      yield* third.ended
      assert.deepStrictEqual(endingOf(third.events), completed)
    }).pipe(alone)
  )

  it.live("says for what it has waited in vain; what is wrong with it is said before", () =>
    Effect.gen(function* () {
      const first = yield* begin(program("forever"))
      yield* until(() => first.events.length > 0)
      const second = yield* begin({ ...program("speaks"), limits: { total: 1, maxWait: 0 } })
      yield* second.ended
      assert.strictEqual(resultOf(second.events).reason, "limit_reached")
      assert.deepInclude(errorOf(second.events), { code: "limit_reached", category: "spawn", retryable: true })
      const third = yield* begin({ ...program("speaks"), limits: { total: 1, maxWait: 0 } }, { maxTurns: -1 })
      yield* third.ended
      assert.strictEqual(resultOf(third.events).reason, "invalid_params")
    }).pipe(alone)
  )
})
