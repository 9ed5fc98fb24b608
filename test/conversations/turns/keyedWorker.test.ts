/** Work by key: one fiber each while there is work, and no wake is lost. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Logger, References, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type KeyedWorker, makeKeyedWorker, type Step } from "../../../src/conversations/turns/keyedWorker.ts"

const empty: Step = { _tag: "Empty" }
const again: Step = { _tag: "Again" }

/** Lets all fibers go on until each waits for something else. */
const settled = Effect.repeat(Effect.yieldNow, { times: 200 })

/** A worker whose steps are scripted for each key, and `Empty` after that. */
const scripted = Effect.fnUntraced(function* (script: Readonly<Record<string, ReadonlyArray<Effect.Effect<Step>>>>) {
  const steps: Array<string> = []
  const worker: KeyedWorker<string> = yield* makeKeyedWorker((key: string) =>
    Effect.suspend(() => {
      steps.push(key)
      return script[key]?.[steps.filter((step) => step === key).length - 1] ?? Effect.succeed(empty)
    })
  )
  return { ...worker, steps }
})

describe("a key", () => {
  it.effect("has steps until one is empty, and begins anew when it is woken later", () =>
    Effect.gen(function* () {
      const { wake, over, steps, size } = yield* scripted({ a: [Effect.succeed(again)] })
      yield* wake("a")
      yield* over("a")
      assert.deepStrictEqual([steps, yield* size], [["a", "a"], 0])
      yield* wake("a")
      yield* over("a")
      assert.deepStrictEqual(steps, ["a", "a", "a"])
    })
  )

  it.effect("has one fiber, however often it is woken", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { wake, steps, size } = yield* scripted({ a: [Effect.as(Deferred.await(gate), empty)] })
      yield* Effect.all([wake("a"), wake("a"), wake("b"), wake("a")])
      yield* settled
      assert.deepStrictEqual([steps, yield* size], [["a", "b"], 1])
      yield* wake("a")
      yield* wake("a")
      yield* Deferred.succeed(gate, undefined)
      yield* settled
      // One more step for all wakes during the first one.
      assert.deepStrictEqual([steps, yield* size], [["a", "b", "a"], 0])
    })
  )

  it.effect("looks again if it is woken after its last look", () =>
    Effect.gen(function* () {
      const steps: Array<string> = []
      const worker: KeyedWorker<string> = yield* makeKeyedWorker((key: string) =>
        Effect.suspend(() => {
          steps.push(key)
          return Effect.as(steps.length === 1 ? worker.wake(key) : Effect.void, empty)
        })
      )
      yield* worker.wake("a")
      yield* worker.over("a")
      assert.deepStrictEqual(steps, ["a", "a"])
    })
  )

  it.effect("waits for its time, for its condition, or until it is woken", () =>
    Effect.gen(function* () {
      const until = yield* Deferred.make<void>()
      const waits = { _tag: "Wait", ms: 60_000, until: Deferred.await(until) } as const
      const { wake, steps, size } = yield* scripted({ a: [waits, waits, waits].map((wait) => Effect.succeed(wait)) })
      yield* wake("a")
      yield* TestClock.adjust(59_999)
      assert.strictEqual(steps.length, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(steps.length, 2)
      yield* wake("a")
      yield* settled
      assert.strictEqual(steps.length, 3)
      yield* Deferred.succeed(until, undefined)
      yield* settled
      assert.deepStrictEqual([steps.length, yield* size], [4, 0])
    })
  )

  it.effect("logs a failure or a defect, and continues after a second", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const logger = Logger.make(({ message }) => void log.push(String([message].flat()[0])))
      let count = 0
      const step = () => {
        count += 1
        if (count === 1) return Effect.fail("down")
        if (count === 2) throw new Error("broken")
        return Effect.succeed(empty)
      }
      const { wake, size } = yield* Effect.provide(makeKeyedWorker(step), Logger.layer([logger]))
      yield* wake("a")
      yield* TestClock.adjust(999)
      assert.strictEqual(count, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(count, 2)
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual([count, yield* size], [3, 0])
      assert.deepStrictEqual(log, Array(2).fill("a conversation waits after a failure"))
    })
  )

  it.effect("has no work after a step that was interrupted", () =>
    Effect.gen(function* () {
      const { wake, over, steps } = yield* scripted({ a: [Effect.interrupt] })
      yield* wake("a")
      yield* over("a")
      assert.deepStrictEqual(steps, ["a"])
      yield* wake("a")
      yield* over("a")
      assert.deepStrictEqual(steps, ["a", "a"])
    })
  )

  // With so few operations a fiber yields even between its last check and its end.
  it.effect("begins anew while its last fiber is still ending", () =>
    Effect.gen(function* () {
      let open = 0
      const { wake } = yield* makeKeyedWorker((_: string) =>
        Effect.sync(() => {
          open = 0
          return empty
        })
      )
      for (let at = 0; at < 40; at += 1) {
        open += 1
        yield* wake("a")
        yield* Effect.yieldNow
      }
      yield* settled
      assert.strictEqual(open, 0)
    }).pipe(Effect.provideService(References.MaxOpsBeforeYield, 3))
  )

  it.effect("is the same if its content is", () =>
    Effect.gen(function* () {
      let count = 0
      const { wake, over, size } = yield* makeKeyedWorker((_: { readonly cli: string }) =>
        Effect.suspend(() => {
          count += 1
          return Effect.never
        })
      )
      yield* wake({ cli: "a" })
      yield* wake({ cli: "a" })
      yield* wake({ cli: "b" })
      yield* settled
      assert.deepStrictEqual([count, yield* size], [2, 2])
      yield* over({ cli: "c" })
    })
  )
})

it.effect("the end of all work is awaited", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const waits = Effect.as(Deferred.await(gate), empty)
    const { wake, allOver } = yield* scripted({ a: [waits], b: [waits, Effect.succeed(again)] })
    yield* allOver
    yield* wake("a")
    yield* wake("b")
    const waiting = yield* Effect.forkChild(allOver)
    yield* settled
    assert.isUndefined(waiting.pollUnsafe())
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(waiting)
  })
)

it.effect("work ends with its scope", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    let isEnded = false
    const working = Effect.onInterrupt(Effect.never, () =>
      Effect.sync(() => {
        isEnded = true
      })
    )
    const { wake, size, over } = yield* Scope.provide(scripted({ a: [working] }), scope)
    yield* wake("a")
    yield* settled
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual([isEnded, yield* size], [true, 0])
    yield* wake("b")
    yield* over("b")
  })
)

const Few = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))

const Posted = Schema.Struct({ key: Schema.Literals(["a", "b"]), delay: Few })

/** A step that reads between two pauses. */
const Scripted = Schema.Struct({
  before: Few,
  after: Few,
  result: Schema.Literals(["Empty", "Again", "Wait", "Fails"])
})

describe("any interleaving of wakes and steps", () => {
  it.effect.prop(
    "loses no wake, and never has two steps of one key at once",
    [
      Schema.Array(Posted).check(Schema.isMinLength(1), Schema.isMaxLength(8)),
      Schema.Array(Scripted).check(Schema.isMinLength(1), Schema.isMaxLength(6)),
      Schema.Int.check(Schema.isBetween({ minimum: 3, maximum: 40 }))
    ],
    ([posts, script, opsBeforeYield]) =>
      Effect.gen(function* () {
        const open = new Map<string, number>()
        const active = new Set<string>()
        let [count, hasOverlapped] = [0, false]
        const step = Effect.fnUntraced(function* (key: string): Effect.fn.Return<Step, string> {
          if (active.has(key)) hasOverlapped = true
          active.add(key)
          const { before, after, result } = script[count++ % script.length] ?? { before: 0, after: 0, result: "Empty" }
          yield* pause(before)
          const posted = open.get(key) ?? 0
          open.delete(key)
          yield* pause(after)
          active.delete(key)
          if (result === "Fails") return yield* Effect.fail("down")
          if (result === "Wait") return { _tag: "Wait", ms: 60_000 }
          return result === "Again" && posted > 0 ? again : empty
        })
        const { wake } = yield* makeKeyedWorker(step)
        yield* Effect.forEach(
          posts,
          Effect.fnUntraced(function* ({ key, delay }) {
            yield* pause(delay)
            open.set(key, (open.get(key) ?? 0) + 1)
            yield* wake(key)
          }),
          { concurrency: "unbounded", discard: true }
        )
        yield* settled
        assert.deepStrictEqual([hasOverlapped, [...open], [...active]], [false, [], []])
      }).pipe(
        Effect.scoped,
        Effect.provideService(References.MaxOpsBeforeYield, opsBeforeYield),
        Effect.provide(Logger.layer([]))
      )
  )
})

const pause = (times: number) => Effect.forEach(Array(times).keys(), () => Effect.yieldNow, { discard: true })
