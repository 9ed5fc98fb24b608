/**
 * Ends a run in which nothing happens any more. Every line starts the silence anew; how long it may last depends on
 * what the run is doing. `touch` is called for each line and costs next to nothing: no timer is set by it.
 */
import { Clock, Effect, Queue } from "effect"
import type { NoticeEvent } from "../AgentEvent.ts"
import type { Budgets } from "./budgets.ts"

/** `rest`: between the turns of a live session, for as long as it takes. */
export type Phase = "startup" | "idle" | "tool" | "approval" | "rest" | "linger"

/** A budget that has run out. */
export interface Silence {
  readonly state: Exclude<Phase, "rest"> | "total"
  readonly budgetMs: number
}

export interface Watchdog {
  /** A line came; from now on the run does `phase`. */
  readonly touch: (phase: Phase) => void
  /** Returns when the time for the whole run is over; it runs from the beginning. */
  readonly expired: Effect.Effect<void>
  /** Returns when a budget has run out. The first silence begins here. */
  readonly fired: Effect.Effect<Silence>
}

/** A run that is silent again and again says so this often and no more. */
const mostNotices = 10

const stalled = (phase: Silence["state"], silentMs: number, budgetMs: number): NoticeEvent => ({
  type: "notice",
  kind: "stalled",
  message: `No line for ${silentMs / 1000} s (${phase}); the run ends after ${budgetMs / 1000} s`,
  data: { state: phase, silentMs, budgetMs }
})

export const makeWatchdog = Effect.fnUntraced(function* (budgets: Budgets, onStalled: (notice: NoticeEvent) => void) {
  const clock = yield* Clock.Clock
  const phaseChanged = yield* Queue.sliding<void>(1)
  let phase: Phase = "startup"
  const startedAt = clock.currentTimeMillisUnsafe()
  let lastLineAt = startedAt
  let warned = false
  let notices = 0

  const silence = Effect.gen(function* () {
    lastLineAt = clock.currentTimeMillisUnsafe()
    while (true) {
      if (phase === "rest") {
        yield* Queue.take(phaseChanged)
        continue
      }
      const budget = budgets[phase]
      const silentMs = clock.currentTimeMillisUnsafe() - lastLineAt
      if (silentMs >= budget) return { state: phase, budgetMs: budget }
      const mayWarn = !warned && notices < mostNotices && phase !== "linger"
      if (mayWarn && silentMs >= budget / 2) {
        warned = true
        notices += 1
        onStalled(stalled(phase, silentMs, budget))
      }
      const next = mayWarn && silentMs < budget / 2 ? budget / 2 : budget
      yield* Effect.raceFirst(waitFor(next - silentMs), Queue.take(phaseChanged))
    }
  })

  const expired = Effect.suspend(() => waitFor(budgets.total - (clock.currentTimeMillisUnsafe() - startedAt)))

  const watchdog: Watchdog = {
    touch: (next) => {
      lastLineAt = clock.currentTimeMillisUnsafe()
      warned = false
      if (next === phase) return
      phase = next
      Queue.offerUnsafe(phaseChanged, undefined)
    },
    expired,
    fired: Effect.raceFirst(
      silence,
      Effect.map(expired, () => ({ state: "total" as const, budgetMs: budgets.total }))
    )
  }
  return watchdog
})

/** At least a millisecond, so that a loop around it always yields. */
const waitFor = (ms: number) => (ms === Number.POSITIVE_INFINITY ? Effect.never : Effect.sleep(Math.max(1, ms)))
