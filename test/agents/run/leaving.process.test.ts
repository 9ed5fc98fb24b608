/** However a run is stopped: the process is gone when the call returns. Real processes. */
import { getEventListeners } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { layerOf, program, running } from "../../kit/agent.ts"
import { abortedEnding, endingOf, pidsOf, resultOf } from "../../kit/events.ts"
import { assertAllDead, isAlive } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { watched } from "../../kit/watched.ts"

/** A run that is aborted as soon as an event fits. */
const abortAt = (options: AgentOptions, type: AgentEvent["type"]) =>
  Effect.gen(function* () {
    const abort = new AbortController()
    const events: Array<AgentEvent> = []
    yield* AgentRuntime.use((agent) =>
      agent.execute({ prompt: "hello", abortSignal: abort.signal }).pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => {
            events.push(event)
            if (event.type === type) abort.abort()
          })
        )
      )
    ).pipe(Effect.provide(layerOf(options)))
    assert.deepStrictEqual(getEventListeners(abort.signal, "abort"), [])
    return events
  })

describe("the abort signal", () => {
  it.effect("aborted before the start: nothing is started", () => {
    const abort = new AbortController()
    abort.abort()
    return watched(
      ({ script, events }) =>
        Effect.sync(() => {
          assert.deepStrictEqual(endingOf(events), abortedEnding)
          assert.deepStrictEqual(
            events.map((event) => event.type),
            ["error", "done"]
          )
          assert.deepStrictEqual(script.calls, [])
        }),
      {},
      { abortSignal: abort.signal }
    )
  })

  it.live("in mid-text: what came is kept", () =>
    Effect.gen(function* () {
      const events = yield* abortAt(program("forever", "--text=half an answer"), "text")
      assert.deepStrictEqual(endingOf(events), abortedEnding)
      assert.strictEqual(resultOf(events).text, "half an answer")
      assertAllDead(pidsOf(events))
    })
  )

  it.live("in a tool", () =>
    Effect.gen(function* () {
      const events = yield* abortAt(program("forever", "--tool"), "tool_use")
      assert.deepStrictEqual(endingOf(events), abortedEnding)
      assertAllDead(pidsOf(events))
    })
  )

  it.live("of a process that ignores SIGTERM: SIGKILL after the grace", () =>
    Effect.gen(function* () {
      const startedAt = performance.now()
      const events = yield* abortAt({ ...program("ignores-sigterm"), killGrace: 400 }, "session")
      assert.deepStrictEqual(endingOf(events), abortedEnding)
      assert.isAtLeast(performance.now() - startedAt, 400)
      assertAllDead(pidsOf(events))
    })
  )

  it.live("of a process with grandchildren, one of which ignores SIGTERM", () =>
    Effect.gen(function* () {
      const events = yield* abortAt(program("parallel-grandchildren"), "session")
      assert.deepStrictEqual(endingOf(events), abortedEnding)
      assert.strictEqual(pidsOf(events).length, 5)
      assertAllDead(pidsOf(events))
    })
  )
})

describe("the consumer", () => {
  it.live("takes one event", () =>
    Effect.gen(function* () {
      const events = yield* AgentRuntime.use((agent) =>
        agent.execute({ prompt: "hello" }).pipe(Stream.take(1), Stream.runCollect)
      ).pipe(Effect.provide(layerOf(program("forever"))))
      assertAllDead(pidsOf(events))
    })
  )

  it.live("fails in the middle", () =>
    Effect.gen(function* () {
      const pids: Array<number> = []
      const exit = yield* AgentRuntime.use((agent) =>
        agent.execute({ prompt: "hello" }).pipe(
          Stream.runForEach((event) => {
            pids.push(...pidsOf([event]))
            return Effect.fail("enough")
          }),
          Effect.exit
        )
      ).pipe(Effect.provide(layerOf(program("forever"))))
      assert.deepStrictEqual(exit, Exit.fail("enough"))
      assertAllDead(pids)
    })
  )

  it.live("leaves at `done`: the process may save first, as if it had stayed", () =>
    Effect.gen(function* () {
      const file = join(yield* makeDirectory, "saved")
      yield* AgentRuntime.use((agent) =>
        agent.execute({ prompt: "hello" }).pipe(
          Stream.takeUntil((event) => event.type === "done"),
          Stream.runDrain
        )
      ).pipe(Effect.provide(layerOf(program("lingers-and-saves", `--file=${file}`))))
      assert.isTrue(existsSync(file))
    })
  )

  it.live("is interrupted, in `execute` and in `run`", () =>
    Effect.gen(function* () {
      for (const method of ["execute", "run"] as const) {
        const { options, pid } = yield* running
        const use = AgentRuntime.use((agent) =>
          method === "run"
            ? Effect.asVoid(agent.run({ prompt: "hello" }))
            : Stream.runDrain(agent.execute({ prompt: "hello" }))
        )
        const fiber = yield* Effect.forkChild(Effect.provide(use, layerOf(options)))
        const child = yield* pid
        assert.isTrue(isAlive(child))
        yield* Fiber.interrupt(fiber)
        assertAllDead([child])
      }
    })
  )

  it.live("pauses, and the layer is closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(layerOf(program("forever")), scope)
      const agent = Context.get(context, AgentRuntime)
      const pids = yield* Deferred.make<ReadonlyArray<number>>()
      const paused = agent.execute({ prompt: "hello" }).pipe(
        Stream.runForEach((event) => Effect.andThen(Deferred.succeed(pids, pidsOf([event])), Effect.never)),
        Effect.forkChild
      )
      const fiber = yield* paused
      const known = yield* Deferred.await(pids)
      assert.isTrue(known.every(isAlive))
      yield* Scope.close(scope, Exit.void)
      assertAllDead(known)
      yield* Fiber.interrupt(fiber)
    })
  )
})
