/**
 * The watchdog counts only the time in which the host could have read output, whatever happens to the host's own time.
 * On a model clock.
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Clock, Effect, Schema } from "effect"
import { makeWatchdog, type Silence, timeLimitsOf } from "../../../src/agents/engine/watchdog.ts"
import { makeModelClock } from "../../kit/modelClock.ts"
import { runs } from "../../kit/runs.ts"
import { settled } from "../../kit/scripted.ts"

const budgets = {
  ...timeLimitsOf({ idle: "30 seconds" }, { startup: "60 seconds", idle: "30 seconds", tool: "100 seconds" }),
  rest: Number.POSITIVE_INFINITY
}
const Told = Schema.Literals(["idle", "tool", "approval", "rest"])
type Told = typeof Told.Type

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Step = Schema.Union([
  Schema.Struct({ is: Schema.Literal("pass"), ms: between(1, 40_000) }),
  /** Output meanwhile stays in the pipe until the host reads again. */
  Schema.Struct({ is: Schema.Literal("held up"), ms: between(1, 400_000), lines: Schema.Array(Told) }),
  Schema.Struct({ is: Schema.Literal("date"), byMs: between(-1e7, 1e7) }),
  Schema.Struct({ is: Schema.Literal("line"), phase: Told })
])
type Step = typeof Step.Type

const steps = Arbitrary.array(Arbitrary.schema(Step), { minLength: 1, maxLength: 12 })

/** A stop is seen by the slice of a sleep that it makes late: so much of each may be counted. */
const unseenMs = 1_250

const play = (input: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const time = makeModelClock()
    const pipe: Array<Told> = []
    let fired: Silence | undefined
    const watchdog = yield* Effect.provideService(
      makeWatchdog(budgets, () => {}),
      Clock.Clock,
      time.clock
    )
    let phase: "startup" | Told = "startup"
    let leastMs = 0
    let mostMs = 0
    const read = () => {
      for (const next of pipe.splice(0)) {
        watchdog.touch(next)
        phase = next
        leastMs = 0
        mostMs = 0
      }
    }
    yield* watchdog.fired(Effect.sync(read)).pipe(
      Effect.tap((silence) =>
        Effect.sync(() => {
          fired = silence
        })
      ),
      Effect.forkChild({ startImmediately: true })
    )
    for (const step of input) {
      if (step.is === "pass") {
        yield* time.pass(step.ms, settled)
        leastMs += step.ms
        mostMs += step.ms
      }
      if (step.is === "held up") {
        pipe.push(...step.lines)
        mostMs += Math.min(step.ms, unseenMs)
        yield* time.holdUp(step.ms)
        yield* settled
      }
      if (step.is === "date") yield* time.setDate(step.byMs)
      if (step.is === "line") pipe.push(step.phase)
      if (fired === undefined) read()
      yield* settled
      const budget = budgets[phase]
      if (fired === undefined) assert.isBelow(leastMs, budget, `${phase} has no end`)
      else {
        assert.isAtLeast(mostMs, budget, `${phase} ended early`)
        assert.strictEqual(fired.state, phase)
        return "fired"
      }
    }
    return "silent"
  }).pipe(Effect.scoped)

describe("budgets and the time of the host", () => {
  it.effect.prop(
    "hold for every order of lines, time, hold-ups and changes of the date",
    { steps },
    ({ steps }) => Effect.asVoid(play(steps)),
    runs(150)
  )

  it.effect.each<readonly [string, ReadonlyArray<Step>, "fired" | "silent"]>([
    ["a silence that the host could hear", [{ is: "pass", ms: 60_000 }], "fired"],
    ["a hold-up does not count as silence", [{ is: "held up", ms: 1e6, lines: [] }], "silent"],
    [
      "neither are many",
      Array.from({ length: 40 }, () => ({ is: "held up", ms: 90_000, lines: [] }) as const),
      "silent"
    ],
    [
      "what passed before it counts",
      [
        { is: "pass", ms: 59_000 },
        { is: "held up", ms: 9_000, lines: [] }
      ],
      "fired"
    ],
    [
      "unless a line stands in the pipe",
      [
        { is: "pass", ms: 59_999 },
        { is: "held up", ms: 9_000, lines: ["idle"] }
      ],
      "silent"
    ],
    [
      "a rest, which has no limit, and the limit after it",
      [
        { is: "line", phase: "tool" },
        { is: "line", phase: "rest" },
        { is: "pass", ms: 99_000 },
        { is: "pass", ms: 4e6 },
        { is: "line", phase: "idle" },
        { is: "pass", ms: 29_999 },
        { is: "line", phase: "rest" },
        { is: "line", phase: "idle" },
        { is: "pass", ms: 30_000 }
      ],
      "fired"
    ],
    [
      "a date that is set forward",
      [
        { is: "pass", ms: 29_000 },
        { is: "date", byMs: 3.6e6 },
        { is: "pass", ms: 2_000 }
      ],
      "silent"
    ],
    [
      "a date that is set back",
      [
        { is: "date", byMs: -3.6e6 },
        { is: "pass", ms: 60_000 }
      ],
      "fired"
    ]
  ])("%s", ([, input, outcome]) => Effect.map(play(input), (ended) => assert.strictEqual(ended, outcome)))

  it.effect("the time for the whole run is that of a host that runs, too", () =>
    Effect.gen(function* () {
      const time = makeModelClock()
      const watchdog = yield* Effect.provideService(
        makeWatchdog({ ...budgets, total: 10_000 }, () => {}),
        Clock.Clock,
        time.clock
      )
      const fiber = yield* Effect.forkChild(watchdog.expired ?? Effect.never, { startImmediately: true })
      yield* time.holdUp(60_000)
      yield* time.pass(8_000, settled)
      assert.isUndefined(fiber.pollUnsafe())
      yield* time.pass(2_000, settled)
      assert.isDefined(fiber.pollUnsafe())
    }).pipe(Effect.scoped)
  )

  it.effect("a busy host that wakes after the whole limit still gives the notice before the end", () =>
    Effect.gen(function* () {
      const time = makeModelClock()
      const messages: Array<string> = []
      const watchdog = yield* Effect.provideService(
        makeWatchdog({ ...budgets, startup: 1_000 }, ({ message }) => messages.push(message)),
        Clock.Clock,
        time.clock
      )
      const fiber = yield* Effect.forkChild(watchdog.fired(), { startImmediately: true })
      yield* time.holdUp(1_200)
      yield* settled
      assert.isDefined(fiber.pollUnsafe())
      assert.deepStrictEqual(messages, ["No output for 1 s (startup); the run ends after 1 s"])
    }).pipe(Effect.scoped)
  )
})
