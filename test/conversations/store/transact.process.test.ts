// Work that others stand in the way of: what is tried again, for how long, and what is not.
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Fiber } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../../src/contract/AgentError.ts"
import { StoreError } from "../../../src/contract/StoreError.ts"
import { Store } from "../../../src/conversations/store/Store.ts"

const props = { cause: new Error("made-up cause"), message: "made-up message", operation: "execute" }

const reasons = {
  LockTimeoutError: new SqlError.LockTimeoutError(props),
  SerializationError: new SqlError.SerializationError(props),
  DeadlockError: new SqlError.DeadlockError(props),
  UniqueViolation: new SqlError.UniqueViolation({ ...props, constraint: "c" }),
  ConstraintError: new SqlError.ConstraintError(props),
  ConnectionError: new SqlError.ConnectionError(props),
  AuthenticationError: new SqlError.AuthenticationError(props),
  SqlSyntaxError: new SqlError.SqlSyntaxError(props),
  StatementTimeoutError: new SqlError.StatementTimeoutError(props),
  UnknownError: new SqlError.UnknownError(props)
}

/** Fails so often, then succeeds. */
const failing = (reason: SqlError.SqlErrorReason, times: number) => {
  let tries = 0
  const work = Effect.suspend(() => {
    tries += 1
    return tries <= times ? Effect.fail(new SqlError.SqlError({ reason })) : Effect.succeed(tries)
  })
  return { work, tries: () => tries }
}

/** Time passes until the fiber has ended. */
const passing = Effect.fnUntraced(function* <A, E>(work: Effect.Effect<A, E>, mostMs: number) {
  const fiber = yield* Effect.forkChild(Effect.exit(work), { startImmediately: true })
  let ms = 0
  while (fiber.pollUnsafe() === undefined && ms < mostMs) {
    yield* TestClock.adjust(50)
    ms += 50
  }
  return { ms, exit: yield* Fiber.join(fiber) }
})

describe.each(["transact", "read"] as const)("%s", (way) => {
  const reasonOf = { fail: Cause.makeFailReason, die: Cause.makeDieReason } as const
  const lost = new SqlError.SqlError({ reason: reasons.ConnectionError })
  const failed = new StoreError({ reason: new StoreUnavailable({ problem: "made up" }) })
  const refused = new Error("of the work itself")
  const courses: ReadonlyArray<readonly [string, ReadonlyArray<readonly ["fail" | "die", unknown]>, string]> = [
    ["as the rollback was", [["die", lost]], "the database cannot be reached"],
    [
      "and twice",
      [
        ["die", lost],
        ["die", lost]
      ],
      "the database cannot be reached"
    ],
    [
      "with a failure of the store",
      [
        ["fail", failed],
        ["die", lost]
      ],
      "made up"
    ],
    [
      "with one that became a defect beside it",
      [
        ["die", failed],
        ["die", lost]
      ],
      "made up"
    ],
    [
      "with another one that did",
      [
        ["die", refused],
        ["die", lost]
      ],
      "the database cannot be reached"
    ]
  ]
  it.effect.each(courses)("fails where its connection was lost, %s", ([, causes, problem]) =>
    Effect.gen(function* () {
      const store = yield* Store
      const cause = Cause.fromReasons(causes.map(([is, error]) => reasonOf[is](error)))
      const error = yield* Effect.flip(store[way](Effect.failCause(cause)))
      assert.instanceOf(error, StoreError)
      assert.include(String(error), problem)
    }).pipe(Effect.provide(Store.layerMemory()))
  )

  it.effect("leaves a defect a defect", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit((yield* Store)[way](Effect.die(refused)))
      assert.deepStrictEqual(exit._tag === "Failure" ? Cause.squash(exit.cause) : exit, refused)
    }).pipe(Effect.provide(Store.layerMemory()))
  )

  it.effect.each(["LockTimeoutError", "SerializationError", "DeadlockError"] as const)(
    "tries again after a %s, until it passes",
    (tag) =>
      Effect.gen(function* () {
        const store = yield* Store
        const { work, tries } = failing(reasons[tag], 30)
        const { ms, exit } = yield* passing(store[way](work), 60_000)
        assert.strictEqual(exit._tag, "Success")
        assert.strictEqual(tries(), 31)
        assert.isAtMost(ms, 3_000)
      }).pipe(Effect.provide(Store.layerMemory()))
  )

  it.effect.each(["LockTimeoutError", "SerializationError"] as const)("gives up after ten seconds of %s", (tag) =>
    Effect.gen(function* () {
      const store = yield* Store
      const { work, tries } = failing(reasons[tag], Number.POSITIVE_INFINITY)
      const { ms, exit } = yield* passing(Effect.flip(store[way](work)), 60_000)
      assert.isTrue(ms >= 10_000 && ms <= 10_200, `${ms}`)
      assert.isTrue(tries() > 190 && tries() < 500, `${tries()}`)
      assert.match(String(exit._tag === "Success" ? exit.value.message : exit), /, for 10 s$/)
    }).pipe(Effect.provide(Store.layerMemory()))
  )

  it.effect("sees an entry that came in between, on a database that tells it so, and gives up after ten tries", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const passed = failing(reasons.UniqueViolation, 10)
      assert.strictEqual((yield* passing(store[way](passed.work), 10_000)).exit._tag, "Success")
      const never = failing(reasons.UniqueViolation, Number.POSITIVE_INFINITY)
      yield* passing(Effect.flip(store[way](never.work)), 10_000)
      assert.strictEqual(never.tries(), 11)
    }).pipe(Effect.provide(Store.layerMemory()))
  )

  it.effect.each([
    "ConstraintError",
    "ConnectionError",
    "AuthenticationError",
    "SqlSyntaxError",
    "StatementTimeoutError",
    "UnknownError"
  ] as const)("does not try again after a %s, and shows nothing of what the database said", (tag) =>
    Effect.gen(function* () {
      const store = yield* Store
      const { work, tries } = failing(reasons[tag], 1)
      const error = yield* Effect.flip(store[way](work))
      assert.strictEqual(tries(), 1)
      assert.strictEqual(error.reason._tag, "StoreUnavailable")
      assert.notInclude(JSON.stringify(error) + error.stack, "made-up")
    }).pipe(Effect.provide(Store.layerMemory()))
  )

  it.effect("leaves a failure of the work itself as it is", () =>
    Effect.gen(function* () {
      const store = yield* Store
      assert.strictEqual(yield* Effect.flip(store[way](Effect.fail("mine" as const))), "mine")
    }).pipe(Effect.provide(Store.layerMemory()))
  )
})

it.effect("a part of a transaction that others stand in the way of has the whole of it tried again", () =>
  Effect.gen(function* () {
    const { transact } = yield* Store
    const { work } = failing(reasons.LockTimeoutError, 3)
    let wholes = 0
    const whole = Effect.suspend(() => {
      wholes += 1
      return transact(work)
    })
    assert.strictEqual((yield* passing(transact(whole), 10_000)).exit._tag, "Success")
    assert.strictEqual(wholes, 4)
  }).pipe(Effect.provide(Store.layerMemory()))
)
