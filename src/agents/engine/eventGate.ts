/**
 * Passes the events of a run or a session to consumers and observers, in order. An event that a gate has to approve is held
 * back until then, and so are all after it; where nothing has to wait, events pass at once.
 */
import { Effect, Latch, Result } from "effect"
import { type FailureReason, Refused } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { End } from "../../contract/Start.ts"
import type { Admission, Fork } from "./admission.ts"
import { makeUsageMeter } from "./usageMeter.ts"
import type { Watchers } from "./watchers.ts"

export interface EventGate {
  /** Nothing is held back, and neither an observer nor a gate looks at this event: it may be emitted without `give`. */
  readonly passes: (event: AgentEvent) => boolean
  /** Calls `emit` once all events before it have passed. `bytes`: estimated memory of the event. */
  readonly give: (event: AgentEvent, bytes: number, emit: () => void) => void
  /** Before what is held back: for notices of gates that settle, whose end waits for them. */
  readonly insert: (event: AgentEvent, emit: () => void) => void
  /** Sets the watchers of further events. */
  readonly watch: (watchers: Watchers) => void
  /** Further events wait for this effect. */
  readonly waitFor: (effect: Effect.Effect<void>) => void
  /** The gates have admitted: from now on their permits are consulted. */
  readonly admit: (admission: Admission, fork: Fork) => void
  /** Drops the events that are held back for a gate, except for ends of turns. The last events may follow. */
  readonly close: () => void
  /** Further events wait until the gates have settled. */
  readonly settle: (end: End) => void
  readonly isHolding: () => boolean
  /** Completes when nothing is held back. */
  readonly passed: Effect.Effect<void>
}

/** Maximum memory of events that wait for gates. */
const heldLimitBytes = 64 * 1024 * 1024

interface Step {
  readonly event: AgentEvent | undefined
  readonly bytes: number
  readonly run: () => void
}

/** `refuse`: a gate ends what it had admitted. */
export const makeEventGate = (refuse: (reason: FailureReason) => void): EventGate => {
  const passed = Latch.makeUnsafe(true)
  let steps: Array<Step> = []
  /** The first step that has not run: to shift a long array costs its length. */
  let first = 0
  /** The cause of waiting; events that wait for gates can be dropped. */
  let holding: "gates" | "other" | undefined
  let admission: Admission | undefined
  let forked: Fork | undefined
  let meter: ((event: AgentEvent) => void) | undefined
  let sessionId: string | undefined
  let isClosed = false
  /** Memory of the events that are held back. */
  let heldBytes = 0
  let watchers: Watchers | undefined

  const resume = () => {
    holding = undefined
    while (holding === undefined) {
      const step = steps[first]
      if (step === undefined) {
        steps = []
        first = 0
        return void passed.openUnsafe()
      }
      first += 1
      heldBytes -= step.bytes
      step.run()
    }
  }

  const hold = (what: "gates" | "other", effect: Effect.Effect<void, FailureReason>, then: () => void) => {
    holding = what
    steps = steps.slice(first)
    first = 0
    passed.closeUnsafe()
    const over = (result: Result.Result<void, FailureReason>) => {
      if (holding !== what) return
      if (Result.isFailure(result)) return refuse(result.failure)
      then()
      resume()
    }
    forked?.(Effect.map(Effect.result(effect), over))
  }

  /** For a session that the gates have not approved yet. */
  const opening = (event: AgentEvent) => {
    if (isClosed || event.type !== "session" || event.parentToolId !== undefined) return undefined
    if (event.sessionId === sessionId) return undefined
    sessionId = event.sessionId
    return admission?.opened?.(event.sessionId)
  }

  /** Not while events that were held back are passing: one of them may cause the next. */
  const isFree = () => holding === undefined && steps.length === 0

  const take = (step: Step) => {
    if (isFree()) step.run()
    else {
      heldBytes += step.bytes
      steps.push(step)
    }
  }

  /** False for more than can be kept: the CLI does not wait for the gates. */
  const fits = (bytes: number) => {
    if (holding !== "gates" || heldBytes + bytes <= heldLimitBytes) return true
    const problem = `more than ${heldLimitBytes / 2 ** 20} MiB of events wait for it`
    refuse(new Refused({ gate: admission?.openers ?? "", problem, retryable: false }))
    return false
  }

  const waitFor = (effect: Effect.Effect<void>) =>
    take({ event: undefined, bytes: 0, run: () => hold("other", effect, () => {}) })

  const eventGate: EventGate = {
    passes: (event) => {
      if (holding !== undefined || steps.length > 0 || event.type === "session") return false
      if (meter !== undefined && event.type === "usage") return false
      return watchers === undefined || watchers.skip(event)
    },
    give: (event, bytes, emit) => {
      const pass = () => {
        watchers?.event(event)
        emit()
      }
      const run = () => {
        const effect = opening(event)
        if (effect === undefined) pass()
        else hold("gates", effect, pass)
      }
      if (isFree() && event.type !== "session") pass()
      else if (fits(bytes) || event.type === "turn_done") take({ event, bytes, run })
      // A gate that refuses at once ends the run, and nothing comes after its end.
      meter?.(event)
    },
    insert: (event, emit) => {
      watchers?.event(event)
      emit()
    },
    watch: (next) => {
      watchers = next
    },
    waitFor,
    admit: (next, fork) => {
      admission = next
      forked = fork
      if (next.onUsage !== undefined) meter = makeUsageMeter(next.onUsage, fork, refuse)
    },
    close: () => {
      meter = undefined
      isClosed = true
      if (holding !== "gates") return
      steps = steps.filter(({ event }) => event === undefined || event.type === "turn_done")
      resume()
    },
    settle: (end) => {
      const effect = admission?.settle?.(end)
      if (effect === undefined) return
      // A gate may go by what its observer has seen.
      const observed = Effect.sync(() => watchers?.flush())
      waitFor(Effect.andThen(observed, effect))
    },
    isHolding: () => holding !== undefined,
    passed: passed.await
  }
  return eventGate
}
