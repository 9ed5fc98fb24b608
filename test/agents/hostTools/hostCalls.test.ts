/** Calls of the CLI into the host: one reply to each, and a finished one leaves nothing behind. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, type Fiber, FiberSet } from "effect"
import { makeHostCalls } from "../../../src/agents/hostTools/hostCalls.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { Hook } from "../../../src/contract/HostTool.ts"
import { settled } from "../../kit/scripted.ts"

const makeCalls = Effect.fnUntraced(function* (run: Hook["run"]) {
  const events: Array<AgentEvent> = []
  const replies: Array<readonly [string, unknown]> = []
  const runFork = yield* FiberSet.makeRuntime<never, void, never>()
  let forked = 0
  const calls = makeHostCalls({
    hooks: [{ event: "Stop", run }],
    respond: (message) => Effect.succeed(message),
    dialogue: {
      reply: (callId, reply) => {
        replies.push([callId, reply])
        return []
      }
    },
    give: (event) => events.push(event),
    perform: () => {},
    fork: (effect): Fiber.Fiber<void> => {
      forked += 1
      return runFork(effect)
    }
  })
  return { calls, events, replies, forked: () => forked }
})

const call = (callId: string) => ({ _tag: "HookCalled", callId, hook: 0, input: {} }) as const

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

describe("a hook", () => {
  it.effect.each([
    ["a number that JSON cannot hold", 1n],
    ["an object without end", { hookSpecificOutput: cyclic }],
    ["a function", () => {}]
  ] as const)("that gives %s gives nothing, which is a warning", ([, input]) =>
    Effect.gen(function* () {
      const { calls, events, replies } = yield* makeCalls(async () => input)
      calls.hook(call("1"))
      yield* settled
      yield* Effect.promise(async () => {})
      yield* settled
      assert.deepStrictEqual(replies, [["1", undefined]])
      assert.strictEqual(events.length, 1)
      assert.deepInclude(events[0], { type: "notice", kind: "warning" })
    })
  )

  it.effect("that has given something cannot be given up any more, and is forgotten", () =>
    Effect.gen(function* () {
      const { calls, replies, forked } = yield* makeCalls(() => ({}))
      calls.hook(call("1"))
      yield* settled
      assert.deepStrictEqual(replies, [["1", {}]])
      calls.cancel("1")
      assert.strictEqual(forked(), 1)
    })
  )

  it.effect("that is given up gets no reply, and does not fail", () =>
    Effect.gen(function* () {
      const aborted = yield* Deferred.make<void>()
      const { calls, events, replies } = yield* makeCalls((_, { signal }) => {
        signal.addEventListener("abort", () => Deferred.doneUnsafe(aborted, Effect.void))
        return Effect.never
      })
      calls.hook(call("1"))
      calls.cancel("1")
      yield* Deferred.await(aborted)
      yield* settled
      assert.deepStrictEqual([replies, events], [[], []])
    })
  )
})
