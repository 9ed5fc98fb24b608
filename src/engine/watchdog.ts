/**
 * Ends a run in which nothing happens any more. Every line starts the silence anew; how long it may last depends on
 * what the run is doing. Only time in which this host ran counts, and a silence is judged after what had arrived by
 * then was read. `touch` is called for each line and costs next to nothing: no timer is set by it.
 */
import { Deferred, Duration, Effect, Queue } from "effect"
import type { Standing } from "../cli/Decoder.ts"
import { hostClock } from "../clock/hostClock.ts"
import type { AgentEvent, NoticeEvent } from "../contract/AgentEvent.ts"
import { announcedWaitMs } from "./announcedWait.ts"
import type { Budgets } from "./budgets.ts"

/** `rest`: between the turns of a live session, for as long as it takes. */
export type Phase = "startup" | "idle" | "tool" | "approval" | "rest" | "linger"

/** What the agent is doing by what it has printed; `atRest`: what it does when it may leave, or waits for its turn. */
export const phaseOf = (standing: Standing, isToolOpen: boolean, atRest: Phase): Phase => {
  if (standing === "opening") return "startup"
  if (standing === "resting" || standing === "ended") return atRest
  return standing === "background" || isToolOpen ? "tool" : "idle"
}

/** A budget that has run out. */
export interface Silence {
  readonly state: Exclude<Phase, "rest"> | "total"
  readonly budgetMs: number
}

export interface Watchdog {
  /** A line came; from now on the run does `phase`. */
  readonly touch: (phase: Phase) => void
  /** The agent may have said that it waits (for a retry, for a rate limit): its silence begins after that. */
  readonly notice: (event: AgentEvent) => void
  /** Returns when the time for the whole run is over; it runs from the beginning. */
  readonly expired: Effect.Effect<void>
  /**
   * Returns when a budget has run out. The first silence begins here. `caughtUp` returns when all that the process had
   * printed was read.
   */
  readonly fired: (caughtUp?: Effect.Effect<void>) => Effect.Effect<Silence>
}

/** A wait that is announced as longer is believed for so long and no more. */
const longestWaitMs = 3_600_000

/** A run that is silent again and again says so this often and no more. */
const mostNotices = 10

const stalled = (phase: Silence["state"], silentMs: number, budgetMs: number): NoticeEvent => ({
  type: "notice",
  kind: "stalled",
  message: `No line for ${silentMs / 1000} s (${phase}); the run ends after ${budgetMs / 1000} s`,
  data: { state: phase, silentMs, budgetMs }
})

export const makeWatchdog = Effect.fnUntraced(function* (budgets: Budgets, onStalled: (notice: NoticeEvent) => void) {
  const clock = yield* hostClock
  const sleep = (ms: number) => clock.sleep(Duration.millis(ms))
  const phaseChanged = yield* Queue.sliding<void>(1)
  let phase: Phase = "startup"
  let lastLineAt = 0
  let waitsUntil = 0
  let warned = false
  let notices = 0

  const silentMs = () => clock.ranMillisUnsafe() - Math.max(lastLineAt, waitsUntil)

  const silence = Effect.fnUntraced(function* (caughtUp: Effect.Effect<void>) {
    lastLineAt = clock.ranMillisUnsafe()
    while (true) {
      if (phase === "rest") {
        yield* Queue.take(phaseChanged)
        continue
      }
      const state = phase
      const budget = budgets[state]
      if (silentMs() >= budget) {
        yield* caughtUp
        if (silentMs() >= budget && phase === state) return { state, budgetMs: budget }
        continue
      }
      const silent = silentMs()
      const mayWarn = !warned && notices < mostNotices && state !== "linger"
      if (mayWarn && silent >= budget / 2) {
        warned = true
        notices += 1
        onStalled(stalled(state, Math.round(silent), budget))
      }
      const next = mayWarn && silent < budget / 2 ? budget / 2 : budget
      yield* Effect.raceFirst(sleep(Math.max(1, next - silent)), Queue.take(phaseChanged))
    }
  })

  const over = yield* Deferred.make<void>()
  yield* Effect.forkScoped(Effect.andThen(sleep(budgets.total), Deferred.succeed(over, undefined)), {
    startImmediately: true
  })
  const expired = Deferred.await(over)

  const watchdog: Watchdog = {
    touch: (next) => {
      lastLineAt = clock.ranMillisUnsafe()
      warned = false
      if (next === phase) return
      // Whatever was waited for is over.
      if (next === "rest" || next === "linger") waitsUntil = 0
      phase = next
      Queue.offerUnsafe(phaseChanged, undefined)
    },
    notice: (event) => {
      const waitMs = event.type === "notice" ? announcedWaitMs(event, clock.currentTimeMillisUnsafe()) : undefined
      if (waitMs === undefined) return
      waitsUntil = Math.max(waitsUntil, clock.ranMillisUnsafe() + Math.min(waitMs, longestWaitMs))
    },
    expired,
    fired: (caughtUp = Effect.void) =>
      Effect.raceFirst(silence(caughtUp), Effect.as(expired, { state: "total" as const, budgetMs: budgets.total }))
  }
  return watchdog
})
