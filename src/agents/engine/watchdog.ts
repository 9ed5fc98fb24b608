/**
 * Ends a run without output for too long. Every line restarts the silence; its limit depends on what the run is doing. Only
 * time in which this host ran counts, and a silence is judged only after all output so far is read. `touch` is called often
 * and is cheap: it sets no timer, and wakes the waiting fiber only for a limit that is reached before the fiber wakes anyway.
 */
import { Deferred, Duration, Effect, Fiber, Predicate } from "effect"
import type { CliFacts } from "../../cli/Cli.ts"
import type { Standing } from "../../cli/Decoder.ts"
import { TimedOut } from "../../contract/AgentError.ts"
import type { AgentEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import type { Timeouts } from "../../contract/AgentExecuteParams.ts"
import { toMillis } from "../../contract/Input.ts"
import { hostClock } from "../../system/hostClock.ts"

/** Time limits in milliseconds: from a run's parameters, else the agent's options, else the CLI, else defaults. */
export interface TimeLimits {
  readonly startup: number
  readonly idle: number
  readonly tool: number
  readonly approval: number
  readonly settle: number
  readonly linger: number
  readonly total: number
}

const oneMinute = 60_000
const fiveMinutes = 300_000

export const timeLimitsOf = (
  cli: Pick<CliFacts, "idle" | "startup">,
  agent: Timeouts = {},
  run: Timeouts = {}
): TimeLimits => {
  const millis = (name: keyof Timeouts, otherwise: number) => {
    const option = run[name] ?? agent[name]
    return option === undefined ? otherwise : Math.max(0, toMillis(option))
  }
  const idle = millis("idle", Math.max(fiveMinutes, Duration.toMillis(cli.idle)))
  return {
    startup: millis("startup", Duration.toMillis(cli.startup ?? oneMinute)),
    idle,
    tool: millis("tool", 3_600_000),
    approval: millis("approval", Number.POSITIVE_INFINITY),
    settle: millis("settle", Math.min(oneMinute, idle)),
    linger: millis("linger", 10_000),
    total: millis("total", Number.POSITIVE_INFINITY)
  }
}

/** `rest`: between the turns of a live session, without a limit. `settle`: only the CLI's report of the end is missing. */
export type Phase = "startup" | "idle" | "tool" | "approval" | "settle" | "rest" | "linger"

/** The phase of the agent by its output; `atRest`: its phase when it may exit, or waits for a turn. */
export const phaseOf = (standing: Standing, isToolOpen: boolean, atRest: Phase): Phase => {
  if (standing === "opening") return "startup"
  if (standing === "resting" || standing === "ended") return atRest
  if (standing === "background" || isToolOpen) return "tool"
  return standing === "answered" ? "settle" : "idle"
}

export interface Silence {
  readonly state: Exclude<Phase, "rest"> | "total"
  readonly budgetMs: number
}

export interface Watchdog {
  /** A line arrived; from now on the run is in `phase`. */
  readonly touch: (phase: Phase) => void
  /** A notice may announce a wait (for a retry or a rate limit): the silence starts after it. */
  readonly notice: (event: AgentEvent) => void
  /** Completes when the time limit for the whole run, which starts with it, is reached. Undefined without one. */
  readonly expired: Effect.Effect<TimedOut> | undefined
  /** Completes when a silence reaches its limit; the first starts here. `caughtUp`: all output so far is read. */
  readonly fired: (caughtUp?: Effect.Effect<void>) => Effect.Effect<Silence>
}

/** Upper estimate where the CLI reports no time for a retry; the longest of any CLI that was seen is 39 s. */
const estimateMs = 60_000
const maxWaitMs = 3_600_000

const positive = (value: unknown) => (Predicate.isNumber(value) && value > 0 ? value : undefined)

/**
 * In ms; undefined if the notice announces no wait. From the CLI's delay, else from the time at which it continues (ms since
 * 1970, like `nowMs`), else an estimate.
 */
export const announcedWaitMs = ({ kind, data }: NoticeEvent, nowMs: number): number | undefined => {
  if (kind !== "retry" && kind !== "rate_limit") return undefined
  const untilMs = positive(data?.["waitUntilMs"])
  const waitMs = positive(data?.["delayMs"]) ?? (untilMs === undefined ? undefined : Math.max(0, untilMs - nowMs))
  return waitMs ?? (kind === "retry" ? estimateMs : undefined)
}

const maxNotices = 10

const stalled = (phase: Silence["state"], silentMs: number, budgetMs: number): NoticeEvent => ({
  type: "notice",
  kind: "stalled",
  message: `No output for ${silentMs / 1000} s (${phase}); the run ends after ${budgetMs / 1000} s`,
  data: { state: phase, silentMs, budgetMs }
})

/** The answer counts although the CLI did not report its end. */
export const resultMissing = (budgetMs: number): NoticeEvent => ({
  type: "notice",
  kind: "result_missing",
  message: `The agent finished its answer, but did not report the end within ${budgetMs / 1000} s: the answer is taken as it is`,
  data: { budgetMs }
})

export const makeWatchdog = Effect.fnUntraced(function* (
  budgets: TimeLimits,
  onStalled: (notice: NoticeEvent) => void
) {
  const clock = yield* hostClock
  const sleep = (ms: number) => clock.sleep(Duration.millis(ms))
  /** Ends the sleep until the next limit, since one may be due earlier. */
  let wake: () => void = () => {}
  let wakesAt = Number.POSITIVE_INFINITY
  let phase: Phase = "startup"
  let lastLineAt = 0
  let waitsUntil = 0
  let warned = false
  let notices = 0

  const silentSince = () => Math.max(lastLineAt, waitsUntil)
  const silentMs = () => clock.ranMillisUnsafe() - silentSince()

  const mayWarn = () => !warned && notices < maxNotices && phase !== "linger"

  const warn = (state: Silence["state"], silent: number, budgetMs: number) => {
    warned = true
    notices += 1
    onStalled(stalled(state, Math.round(silent), budgetMs))
  }

  const limitOf = (state: Phase) => (state === "rest" ? Number.POSITIVE_INFINITY : budgets[state])

  /** When there is something to do if no line arrives until then. */
  const dueAt = () => silentSince() + (mayWarn() ? limitOf(phase) / 2 : limitOf(phase))

  const silence = Effect.fnUntraced(function* (caughtUp: Effect.Effect<void>) {
    lastLineAt = clock.ranMillisUnsafe()
    while (true) {
      const state = phase
      const budget = limitOf(state)
      if (state !== "rest" && silentMs() >= budget) {
        yield* caughtUp
        if (silentMs() < budget || phase !== state) continue
        // On a busy host the fiber may wake only now: the notice comes before every end, even so.
        if (mayWarn()) warn(state, budget, budget)
        return { state, budgetMs: budget }
      }
      const silent = silentMs()
      if (state !== "rest" && mayWarn() && silent >= budget / 2) warn(state, silent, budget)
      const sleepMs = Math.max(1, dueAt() - clock.ranMillisUnsafe())
      wakesAt = clock.ranMillisUnsafe() + sleepMs
      if (sleepMs === Number.POSITIVE_INFINITY) {
        // Without a fiber: a host may have hundreds of sessions at rest.
        const woken = Deferred.makeUnsafe<void>()
        wake = () => Deferred.doneUnsafe(woken, Effect.void)
        yield* Deferred.await(woken)
      } else {
        const sleeping = yield* Effect.forkChild(sleep(sleepMs), { startImmediately: true })
        wake = () => sleeping.interruptUnsafe()
        yield* Fiber.await(sleeping)
      }
    }
  })

  const { total } = budgets
  const lifetime =
    total === Number.POSITIVE_INFINITY ? undefined : yield* Effect.forkScoped(sleep(total), { startImmediately: true })

  const watchdog: Watchdog = {
    touch: (next) => {
      lastLineAt = clock.ranMillisUnsafe()
      warned = false
      if (next === phase) return
      // An announced wait is over.
      if (next === "rest" || next === "linger" || next === "settle") waitsUntil = 0
      phase = next
      if (dueAt() < wakesAt) wake()
    },
    notice: (event) => {
      const waitMs = event.type === "notice" ? announcedWaitMs(event, clock.currentTimeMillisUnsafe()) : undefined
      if (waitMs === undefined) return
      waitsUntil = Math.max(waitsUntil, clock.ranMillisUnsafe() + Math.min(waitMs, maxWaitMs))
    },
    expired: lifetime && Effect.as(Fiber.join(lifetime), new TimedOut({ state: "total", budgetMs: total })),
    fired: (caughtUp = Effect.void) => silence(caughtUp)
  }
  return watchdog
})
