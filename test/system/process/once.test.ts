/** Things that happen once, and the first of several. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { either, type Listen, makeOnce, mapped, waitDuring, waitFor } from "../../../src/system/process/once.ts"

/** With the number of those that listen now. */
const counted = <A>(listen: Listen<A>) => {
  const state = { listening: 0 }
  const counting: Listen<A> = (callback) => {
    state.listening += 1
    const off = listen(callback)
    return () => {
      state.listening -= 1
      off()
    }
  }
  return { state, listen: counting }
}

const waitingFor = <A>(listen: Listen<A>) => Effect.forkChild(waitFor(listen), { startImmediately: true })

describe("what happens once", () => {
  it.effect("is waited for, before and afterwards; another time is ignored", () =>
    Effect.gen(function* () {
      const once = makeOnce<number>()
      const before = yield* waitingFor(once.listen)
      assert.isFalse(once.hasHappened())
      once.happen(Effect.succeed(1))
      once.happen(Effect.succeed(2))
      assert.isTrue(once.hasHappened())
      assert.deepStrictEqual([yield* Fiber.join(before), yield* once.wait], [1, 1])
    })
  )

  it.effect("does not call a removed callback", () =>
    Effect.gen(function* () {
      const once = makeOnce<void>()
      const calls: Array<string> = []
      const off = once.listen(() => calls.push("off"))
      once.listen(() => calls.push("on"))
      off()
      once.happen(Effect.void)
      assert.deepStrictEqual(calls, ["on"])
    })
  )

  it.effect("does not call a callback that an earlier one removed", () =>
    Effect.gen(function* () {
      const once = makeOnce<void>()
      const calls: Array<string> = []
      let off = () => {}
      once.listen(() => off())
      off = once.listen(() => calls.push("off"))
      once.happen(Effect.void)
      assert.isEmpty(calls)
    })
  )

  it.effect("is passed on as a defect where it is one", () =>
    Effect.gen(function* () {
      const once = makeOnce<number>()
      once.happen(Effect.die("broken"))
      const exit = yield* Effect.exit(waitFor(mapped(once.listen, (value) => value + 1)))
      assert.strictEqual(exit._tag, "Failure")
    })
  )
})

describe("the first of several", () => {
  it.effect("counts, once, and has no listener any more", () =>
    Effect.gen(function* () {
      const [one, other] = [makeOnce<string>(), makeOnce<string>()]
      const [first, second] = [counted(one.listen), counted(other.listen)]
      const waiting = yield* waitingFor(either(first.listen, second.listen))
      assert.deepStrictEqual([first.state.listening, second.state.listening], [1, 1])
      other.happen(Effect.succeed("other"))
      one.happen(Effect.succeed("one"))
      assert.strictEqual(yield* Fiber.join(waiting), "other")
      assert.deepStrictEqual([first.state.listening, second.state.listening], [0, 0])
    })
  )

  it.effect("of those that have happened is the first of the list", () =>
    Effect.gen(function* () {
      const [one, other] = [makeOnce<string>(), makeOnce<string>()]
      other.happen(Effect.succeed("other"))
      one.happen(Effect.succeed("one"))
      const second = counted(other.listen)
      assert.strictEqual(yield* waitFor(either(one.listen, second.listen)), "one")
      assert.strictEqual(second.state.listening, 0)
    })
  )

  it.effect("is not listened for after an interruption", () =>
    Effect.gen(function* () {
      const { state, listen } = counted(makeOnce<void>().listen)
      yield* Fiber.interrupt(yield* waitingFor(either(listen, listen)))
      assert.strictEqual(state.listening, 0)
    })
  )
})

describe("a sleep that something may end", () => {
  it.effect("ends with it, or when its time is over", () =>
    Effect.gen(function* () {
      const once = makeOnce<void>()
      const { state, listen } = counted(once.listen)
      const early = yield* Effect.forkChild(waitDuring(Effect.sleep("1 minute"), listen), { startImmediately: true })
      const late = yield* Effect.forkChild(waitDuring(Effect.sleep("1 second"), listen), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(late)
      assert.strictEqual(state.listening, 1)
      assert.isUndefined(early.pollUnsafe())
      once.happen(Effect.void)
      yield* Fiber.join(early)
    })
  )
})
