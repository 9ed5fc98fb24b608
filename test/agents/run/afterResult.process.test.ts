/** Output after the verdict changes nothing; and leftovers of a process do not delay `done`. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { FakeCli, Step } from "../../../src/testing.ts"
import { collect, collectTimed, layerOf, performing, program } from "../../kit/agent.ts"
import { completed, endingOf, pidsOf, resultOf, textOf, timedOut } from "../../kit/events.ts"
import { assertAllDead, endLater, isAlive } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { watched } from "../../kit/watched.ts"
import { init, result, text } from "../../kit/wire.ts"

/** Far more than a start of Node takes, far less than any budget that could hide a hang. */
const promptMs = 15_000

describe.concurrent("trailing lines", () => {
  it.live("in a write of their own are not part of the run", () =>
    Effect.gen(function* () {
      const gate = join(yield* makeDirectory, "gate")
      const events: Array<AgentEvent> = []
      yield* AgentRuntime.use((agent) =>
        agent.execute({ prompt: "hello" }).pipe(
          Stream.runForEach((event) =>
            Effect.sync(() => {
              events.push(event)
              if (event.type === "done") writeFileSync(gate, "")
            })
          )
        )
      ).pipe(Effect.provide(layerOf(program("trailing-lines", `--gate=${gate}`))))
      assert.strictEqual(resultOf(events).text, "answer")
      assert.strictEqual(textOf(events), "answer")
      assert.strictEqual(resultOf(events).totalCostUsd, 0.001)
    })
  )

  it.live("in the same write are not, either: how bytes are cut into chunks decides nothing", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("trailing-lines"))
      assert.strictEqual(textOf(events), "answer")
      assert.strictEqual(resultOf(events).text, "answer")
      assert.strictEqual(resultOf(events).totalCostUsd, 0.001)
    })
  )

  const failed = { subtype: "error_during_execution", is_error: true, errors: ["too late"] }

  it.live("a second result in the same write does not overturn the first", () =>
    Effect.gen(function* () {
      const events = yield* collect(
        yield* performing(FakeCli.claude([Step.text("first"), Step.result(), Step.result({ fields: failed })]))
      )
      assert.deepStrictEqual(endingOf(events), completed)
    })
  )

  it.effect("a caller who aborts while the process lingers has the answer all the same", () => {
    const abort = new AbortController()
    return watched(
      ({ script, events, pass }) =>
        Effect.gen(function* () {
          yield* script.say(init(), text("hi"), result("hi"))
          abort.abort()
          yield* script.say(text("late"), result("late"))
          yield* script.exit({ code: 1 })
          yield* pass("1 minute")
          assert.deepStrictEqual(endingOf(events), completed)
          assert.strictEqual(resultOf(events).text, "hi")
        }),
      {},
      { abortSignal: abort.signal }
    )
  })

  it.effect("a caller who aborts while the process lingers need not wait for it", () => {
    const abort = new AbortController()
    return watched(
      ({ script, events, isComplete, pass }) =>
        Effect.gen(function* () {
          yield* script.say(init(), text("hi"), result("hi"))
          assert.deepStrictEqual(script.signals, [])
          abort.abort()
          yield* pass(1)
          assert.deepStrictEqual(script.signals, ["SIGTERM"])
          assert.isTrue(isComplete())
          assert.deepStrictEqual(endingOf(events), completed)
        }),
      {},
      { abortSignal: abort.signal }
    )
  })
})

describe.concurrent("a process that stays after its result", () => {
  it.live("delays `done` by nothing; the stream ends when it is gone", () =>
    Effect.gen(function* () {
      const linger = 1_500
      const { events, endedMs } = yield* collectTimed(program("lingers"), { timeouts: { linger } })
      assert.deepStrictEqual(endingOf(events), completed)
      const done = events.at(-1)
      assert.isAtLeast(endedMs - (done?.atMs ?? 0), linger - 50)
      assertAllDead(pidsOf(events))
    })
  )

  it.live("has `linger` to save and leaves in peace", () =>
    Effect.gen(function* () {
      const file = join(yield* makeDirectory, "saved")
      const events = yield* collect(program("lingers-and-saves", `--file=${file}`))
      assert.deepStrictEqual(endingOf(events), completed)
      assert.isTrue(existsSync(file))
    })
  )

  it.live("has the grace to save when it waits for the signal", () =>
    Effect.gen(function* () {
      const file = join(yield* makeDirectory, "saved")
      const options = {
        ...program("lingers-and-saves", "--on-sigterm", `--file=${file}`),
        killGrace: "20 seconds"
      } as const
      const events = yield* collect(options, { timeouts: { linger: 0 } })
      assert.deepStrictEqual(endingOf(events), completed)
      assert.isTrue(existsSync(file))
    })
  )
})

describe.concurrent("a grandchild that keeps a pipe open", () => {
  it.live.each([
    ["stdout, after a result", "grandchild-holds-stdout", ["--result"]],
    ["stderr, after a result", "grandchild-holds-stderr", []]
  ] as const)("%s", ([, name, args]) =>
    Effect.gen(function* () {
      const { events, endedMs } = yield* collectTimed(program(name, ...args))
      assert.deepStrictEqual(endingOf(events), completed)
      assert.isBelow(endedMs, promptMs)
      assertAllDead(pidsOf(events))
    })
  )

  it.live("stdout, without a result: the exit decides, and soon", () =>
    Effect.gen(function* () {
      const { events, endedMs } = yield* collectTimed(program("grandchild-holds-stdout"))
      assert.strictEqual(resultOf(events).reason, "no_result")
      assert.isBelow(endedMs, promptMs)
      assertAllDead(pidsOf(events))
    })
  )

  it.live("stdout, and goes on printing: the exit decides all the same", () =>
    Effect.gen(function* () {
      const { events, endedMs } = yield* collectTimed(program("grandchild-chats"), { timeouts: { total: 20_000 } })
      assert.strictEqual(resultOf(events).reason, "no_result")
      assert.isBelow(endedMs, promptMs)
      assertAllDead(pidsOf(events))
    })
  )

  it.live.each(["grandchild-holds-stdout", "grandchild-holds-stderr"] as const)(
    "from a session of its own, where no group signal reaches it: %s",
    (name) =>
      Effect.gen(function* () {
        const { events, endedMs } = yield* collectTimed(program(name, "--result", "--own-session"))
        const [self = 0, grandchild = 0] = pidsOf(events)
        yield* endLater(grandchild)
        assert.deepStrictEqual(endingOf(events), completed)
        assert.isBelow(endedMs, promptMs)
        assert.isFalse(isAlive(self))
      })
  )
})

describe.concurrent("what a process started", () => {
  it.live("is gone when it leaves by itself, deaf to SIGTERM or not", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("parallel-grandchildren", "--leave"))
      assert.strictEqual(pidsOf(events).length, 5)
      assertAllDead(pidsOf(events))
    })
  )

  it.live("is gone after a time-out, deaf to SIGTERM or not", () =>
    Effect.gen(function* () {
      const events = yield* collect(program("parallel-grandchildren"), { timeouts: { idle: 200 } })
      assert.strictEqual(pidsOf(events).length, 5)
      assertAllDead(pidsOf(events))
    })
  )

  it.live("is gone after a time-out, if it is deaf to signals itself", () =>
    Effect.gen(function* () {
      const events = yield* collect({ ...program("ignores-sigterm"), timeouts: { startup: 20_000, idle: 300 } })
      assert.deepStrictEqual(endingOf(events), timedOut("idle"))
      assertAllDead(pidsOf(events))
    })
  )
})
