/** A run of given events whose listener has left. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { TestRuntime } from "../../src/testingEffect.ts"
import { abortedEnding, endingOf, resultOf } from "../kit/events.ts"
import { execute, session, text } from "./events.ts"

describe("a run that is left", () => {
  it.effect("by abort at an event has no further ones, also when they were all there", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const known: Array<AgentEvent> = []
      yield* AgentRuntime.use((agent) =>
        Stream.runForEach(agent.execute({ prompt: "hello", abortSignal: controller.signal }), (event) =>
          Effect.sync(() => {
            known.push(event)
            if (event.type === "text") controller.abort()
          })
        )
      ).pipe(Effect.provide(TestRuntime.layer([session, text("one"), text("two")])))
      assert.deepStrictEqual(
        known.map((event) => event.type),
        ["session", "text", "error", "done"]
      )
      assert.deepStrictEqual(endingOf(known), abortedEnding)
      assert.strictEqual(resultOf(known).text, "one")
    })
  )

  it.effect("by abort while it is silent ends at once", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const isSilent = yield* Deferred.make<void>()
      const silence = Effect.andThen(Deferred.succeed(isSilent, undefined), Effect.never)
      const input = Stream.concat(Stream.make(text("one")), Stream.fromEffect(silence))
      const fiber = yield* Effect.forkChild(execute(input, { abortSignal: controller.signal }))
      yield* Deferred.await(isSilent)
      controller.abort()
      assert.deepStrictEqual(endingOf(yield* Fiber.join(fiber)), abortedEnding)
    })
  )

  it.effect("before it begins asks for no events", () =>
    Effect.gen(function* () {
      const input = () => assert.fail("it asked")
      const events = yield* execute(input, { abortSignal: AbortSignal.abort() })
      assert.deepStrictEqual(endingOf(events), abortedEnding)
    })
  )

  it.effect("by its consumer takes its source with it", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const input = Stream.ensuring(
        Stream.concat(Stream.make(text("one")), Stream.never),
        Deferred.succeed(closed, undefined)
      )
      const first = yield* AgentRuntime.use((agent) => Stream.runHead(agent.execute({ prompt: "hello" }))).pipe(
        Effect.provide(TestRuntime.layer(input))
      )
      assert.deepStrictEqual(first._tag, "Some")
      assert.isTrue(Deferred.isDoneUnsafe(closed))
    })
  )
})
