/** When a run may start: limits, their order, and what a run that waits says and does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, FiberSet, Scope } from "effect"
import { admit } from "../../../src/agents/engine/admission.ts"
import { defaultGates } from "../../../src/agents/engine/Gates.ts"
import type { NoticeEvent } from "../../../src/contract/AgentEvent.ts"
import type { Limits } from "../../../src/contract/AgentOptions.ts"
import { settled } from "../../kit/scripted.ts"
import { pass } from "../../kit/watched.ts"

const plenty = 2 ** 40

const makeQueue = (availableMemory = () => plenty) => {
  const gates = defaultGates(availableMemory)
  /** A run that asks to start; `leave` is its end, whether it had started or not. */
  const ask = (limits: Limits, cli = "claude", sessionId?: string) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(yield* Effect.scope)
      const notices: Array<NoticeEvent> = []
      const params = { prompt: "hello", sessionId }
      const start = { type: "run", id: "1", cli, workingDirectory: "/", limits, params } as const
      const background = yield* FiberSet.makeRuntime<never, void, never>()
      const fiber = yield* admit(gates, start, (notice) => void notices.push(notice), background).pipe(
        Scope.provide(scope),
        Effect.forkChild({ startImmediately: true })
      )
      yield* settled
      const hasStarted = () => {
        const exit = fiber.pollUnsafe()
        return exit !== undefined && Exit.isSuccess(exit)
      }
      return {
        hasStarted,
        notices,
        open: (id: string) =>
          Effect.flatMap(Fiber.join(fiber), ({ opened }) => Effect.andThen(opened?.(id) ?? Effect.void, settled)),
        leave: Fiber.interrupt(fiber).pipe(Effect.andThen(Scope.close(scope, Exit.void)), Effect.andThen(settled)),
        failure: Effect.flip(Fiber.join(fiber))
      }
    })
  return ask
}

const started = (runs: ReadonlyArray<{ readonly hasStarted: () => boolean }>) => runs.map((run) => run.hasStarted())

describe("a run starts at once", () => {
  it.effect("without limits, and says nothing", () =>
    Effect.gen(function* () {
      const runs = yield* Effect.forEach([{}, {}, {}], (limits) => makeQueue()(limits))
      assert.deepStrictEqual(started(runs), [true, true, true])
      assert.isEmpty(runs.flatMap((run) => run.notices))
    })
  )
})

describe("a run waits", () => {
  it.effect("for one of the same CLI to end, in the order of coming", () =>
    Effect.gen(function* () {
      const ask = makeQueue()
      const limits = { perCli: 2 }
      const runs = yield* Effect.forEach([1, 2, 3, 4], () => ask(limits))
      const other = yield* ask(limits, "codex")
      assert.deepStrictEqual(started([...runs, other]), [true, true, false, false, true])
      const queued = runs.flatMap((run) => run.notices)
      assert.lengthOf(queued, 2)
      assert.deepInclude(queued[0], { type: "notice", kind: "queued", data: { limit: "perCli" } })
      assert.strictEqual(queued[0]?.message, "The start waits: 2 runs of claude are running (limits.perCli)")
      yield* runs[1]?.leave ?? Effect.void
      assert.deepStrictEqual(started(runs), [true, true, true, false])
    })
  )

  it.effect("for a place among all CLIs", () =>
    Effect.gen(function* () {
      const ask = makeQueue()
      const first = yield* ask({}, "gemini")
      const second = yield* ask({ total: 1 })
      assert.isFalse(second.hasStarted())
      // Its own limits count, not those of others.
      const third = yield* ask({}, "codex")
      assert.isTrue(third.hasStarted())
      yield* first.leave
      assert.isFalse(second.hasStarted())
      yield* third.leave
      assert.isTrue(second.hasStarted())
    })
  )

  it.effect("until the one before has opened its session, or has had its time", () =>
    Effect.gen(function* () {
      const ask = makeQueue()
      const limits = { stagger: "10 seconds" } as const
      const [first, second, third] = yield* Effect.all([ask(limits), ask(limits), ask(limits)])
      assert.deepStrictEqual(started([first, second, third]), [true, false, false])
      yield* first.open("one")
      assert.deepStrictEqual(started([second, third]), [true, false])
      yield* pass("9500 millis")
      assert.isFalse(third.hasStarted())
      yield* pass("1 second")
      assert.isTrue(third.hasStarted())
      assert.strictEqual(
        third.notices[0]?.message,
        "The start waits: another run of claude is starting (limits.stagger)"
      )
    })
  )

  it.effect("for a run on the same session, which it goes on with or has opened", () =>
    Effect.gen(function* () {
      const ask = makeQueue()
      const first = yield* ask({})
      yield* first.open("one")
      const [second, third] = [yield* ask({}, "claude", "one"), yield* ask({}, "claude", "one")]
      const others = [yield* ask({}, "claude", "two"), yield* ask({}, "codex", "one"), yield* ask({})]
      assert.deepStrictEqual(started([second, third, ...others]), [false, false, true, true, true])
      assert.strictEqual(second.notices[0]?.message, "The start waits: another run uses the session")
      yield* first.leave
      assert.deepStrictEqual(started([second, third]), [true, false])
      yield* second.leave
      assert.isTrue(third.hasStarted())
    })
  )

  it.effect("until there is memory", () =>
    Effect.gen(function* () {
      let free = 5 * 2 ** 20
      const run = yield* makeQueue(() => free)({ freeMemoryBytes: 10 * 2 ** 20 })
      yield* pass("1 minute")
      assert.isFalse(run.hasStarted())
      assert.include(run.notices[0]?.message, "5 MiB of memory are available (limits.freeMemoryBytes)")
      free = 10 * 2 ** 20
      yield* pass("1 second")
      assert.isTrue(run.hasStarted())
    })
  )

  it.effect("no longer than it may, and then says for what", () =>
    Effect.gen(function* () {
      const ask = makeQueue()
      const first = yield* ask({})
      const second = yield* ask({ perCli: 1, maxWait: "5 seconds" })
      yield* pass("4900 millis")
      assert.lengthOf(second.notices, 1)
      yield* pass("200 millis")
      assert.deepInclude(yield* second.failure, { limit: "perCli", maxWaitMs: 5000, retryable: true })
      yield* second.leave
      const third = yield* ask({ total: 1, maxWait: 0 })
      assert.strictEqual(
        (yield* third.failure).message,
        "The run could not start within 0 s (limits.maxWait): 1 run is running (limits.total)"
      )
      assert.isEmpty(third.notices)
      yield* first.leave
      assert.isTrue((yield* ask({ total: 1, maxWait: 0 })).hasStarted())
    })
  )

  it.effect("and takes no place when it leaves before", () =>
    Effect.gen(function* () {
      const ask = makeQueue()
      const limits = { total: 1 }
      const [first, second, third] = yield* Effect.all([ask(limits), ask(limits), ask(limits)])
      yield* second.leave
      assert.isFalse(third.hasStarted())
      yield* first.leave
      assert.isTrue(third.hasStarted())
    })
  )
})
