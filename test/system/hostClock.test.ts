/** Sleeps by the host clock do not count time in which the host did not run, and end after arrived input was read. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Option } from "effect"
import { hostClock, inHostTime } from "../../src/system/hostClock.ts"
import { makeModelClock } from "../kit/modelClock.ts"
import { settled } from "../kit/scripted.ts"

type Model = ReturnType<typeof makeModelClock>

/** Runs an effect by a clock that the test moves. */
const going = <A>(
  effect: Effect.Effect<A>,
  test: (fiber: Fiber.Fiber<A>, model: Model) => Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const model = makeModelClock()
    const fiber = yield* Effect.forkChild(Effect.provideService(inHostTime(effect), Clock.Clock, model.clock), {
      startImmediately: true
    })
    yield* test(fiber, model)
    yield* Fiber.interrupt(fiber)
  })

const isOver = (fiber: Fiber.Fiber<unknown>) => fiber.pollUnsafe() !== undefined

describe("a sleep", () => {
  it.effect.each([1, 999, 1_000, 1_001, 10_500, 60_000])("of %d ms takes that long in a running host", (ms) =>
    going(Effect.sleep(ms), (fiber, model) =>
      Effect.gen(function* () {
        yield* model.pass(ms - 1, settled)
        assert.isFalse(isOver(fiber))
        yield* model.pass(1, settled)
        assert.isTrue(isOver(fiber))
      })
    )
  )

  it.effect("is extended by each time in which the host did not run", () =>
    going(Effect.sleep(10_000), (fiber, model) =>
      Effect.gen(function* () {
        for (let time = 0; time < 5; time += 1) {
          yield* model.pass(500, settled)
          yield* model.holdUp(3_600_000)
          yield* settled
        }
        assert.isFalse(isOver(fiber))
        yield* model.pass(7_500, settled)
        assert.isTrue(isOver(fiber))
      })
    )
  )

  it.effect.each([1, -1])("is unaffected by a change of the date (%d)", (sign) =>
    going(Effect.sleep(10_000), (fiber, model) =>
      Effect.gen(function* () {
        yield* model.setDate(sign * 3_600_000)
        yield* model.pass(9_999, settled)
        assert.isFalse(isOver(fiber))
        yield* model.pass(1, settled)
        assert.isTrue(isOver(fiber))
      })
    )
  )

  it.effect("of infinity never ends, and one of 0 ends at once", () =>
    Effect.gen(function* () {
      yield* inHostTime(Effect.sleep(0))
      const never = Effect.sleep(Duration.infinity)
      yield* going(never, (fiber, model) => Effect.map(model.pass(1e12, settled), () => assert.isFalse(isOver(fiber))))
    })
  )
})

describe("the host clock", () => {
  it.effect("lets input that arrived during a stop win against a time-out", () => {
    let isThere = false
    const answer = Effect.callback<string>((resume) => {
      const look = () => (isThere ? resume(Effect.succeed("read")) : void setImmediate(look))
      look()
    })
    return going(Effect.timeoutOption(answer, "2 seconds"), (fiber, model) =>
      Effect.gen(function* () {
        yield* model.pass(1_500, settled)
        isThere = true
        yield* model.holdUp(60_000)
        yield* settled
        assert.deepStrictEqual(yield* Fiber.join(fiber), Option.some("read"))
      })
    )
  })

  it.effect("is one for each clock, and its own", () =>
    Effect.gen(function* () {
      const { clock } = makeModelClock()
      const of = (base: Clock.Clock) => Effect.provideService(hostClock, Clock.Clock, base)
      const first = yield* of(clock)
      assert.strictEqual(yield* of(clock), first)
      assert.strictEqual(yield* of(first), first)
    })
  )
})
