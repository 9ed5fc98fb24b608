/**
 * The way of events from a run or a session to those who hear them, in order. What a gate must know first is held back
 * until it does, and so is all behind it; where nothing has to wait, events pass at once.
 */
import { Deferred, Effect, Latch, Result } from "effect"
import { Aborted, type FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent, UsageEvent } from "../contract/AgentEvent.ts"
import type { End } from "../contract/Start.ts"
import type { Admission, Fork } from "./admission.ts"
import type { Ending } from "./judge.ts"
import { nobody, type Watchers } from "./watchers.ts"

export interface Outlet {
  /** `emit` is called when the event's turn has come. */
  readonly give: (event: AgentEvent, emit: () => void) => void
  /** These hear what is emitted from now on. */
  readonly watch: (watchers: Watchers) => void
  /** What is given from now on waits for this. */
  readonly waitFor: (effect: Effect.Effect<void>) => void
  /** The gates have let it in: from now on they hear what they want to know. */
  readonly admit: (admission: Admission, fork: Fork) => void
  /** A gate ends what it had let in. */
  readonly refused: Effect.Effect<FailureReason>
  /** What is held back for a gate is let go, but for the ends of turns. The last events may follow. */
  readonly close: () => void
  /** What is given from now on waits until the gates have settled. */
  readonly settle: (end: End) => void
  readonly isHolding: () => boolean
  /** Returns when nothing is held back. */
  readonly passed: Effect.Effect<void>
}

/** Calls for the newest sum, one after the other, until one fails. */
export const makeMeter = (
  onUsage: (usage: UsageEvent) => Effect.Effect<void, FailureReason>,
  fork: Fork,
  refuse: (reason: FailureReason) => void
) => {
  let newest: UsageEvent | undefined
  let isCounting = false
  const count: Effect.Effect<void, FailureReason> = Effect.suspend(() => {
    const usage = newest
    newest = undefined
    isCounting = usage !== undefined
    return usage === undefined ? Effect.void : Effect.andThen(onUsage(usage), count)
  })
  return (event: AgentEvent) => {
    if (event.type !== "usage" || event.parentToolId !== undefined) return
    newest = event
    if (isCounting) return
    isCounting = true
    fork(Effect.catch(count, (reason) => Effect.sync(() => refuse(reason))))
  }
}

interface Step {
  readonly event: AgentEvent | undefined
  readonly run: () => void
}

export const makeOutlet = (): Outlet => {
  const refused = Deferred.makeUnsafe<FailureReason>()
  const passed = Latch.makeUnsafe(true)
  let steps: Array<Step> = []
  /** For what is waited; an event that waits for the gates can be let go. */
  let holding: "gates" | "other" | undefined
  let admission: Admission | undefined
  let forked: Fork | undefined
  let meter: ((event: AgentEvent) => void) | undefined
  let sessionId: string | undefined
  let isClosed = false
  let watchers = nobody

  const refuse = (reason: FailureReason) => void Deferred.doneUnsafe(refused, Effect.succeed(reason))

  const goOn = () => {
    holding = undefined
    while (holding === undefined) {
      const step = steps.shift()
      if (step === undefined) return void passed.openUnsafe()
      step.run()
    }
  }

  const hold = (what: "gates" | "other", effect: Effect.Effect<void, FailureReason>, then: () => void) => {
    holding = what
    passed.closeUnsafe()
    const over = (result: Result.Result<void, FailureReason>) => {
      if (holding !== what) return
      if (Result.isFailure(result)) return refuse(result.failure)
      then()
      goOn()
    }
    forked?.(Effect.map(Effect.result(effect), over))
  }

  /** Of a session that the gates have not heard of. */
  const opening = (event: AgentEvent) => {
    if (isClosed || event.type !== "session" || event.parentToolId !== undefined) return undefined
    if (event.sessionId === sessionId) return undefined
    sessionId = event.sessionId
    return admission?.opened?.(event.sessionId)
  }

  /** Also not while those that were held back go on: one of them may cause the next. */
  const isFree = () => holding === undefined && steps.length === 0

  const take = (step: Step) => {
    if (isFree()) step.run()
    else steps.push(step)
  }

  const waitFor = (effect: Effect.Effect<void>) =>
    take({ event: undefined, run: () => hold("other", effect, () => {}) })

  return {
    give: (event, emit) => {
      meter?.(event)
      const pass = () => {
        watchers.event(event)
        emit()
      }
      if (isFree() && event.type !== "session") return pass()
      const run = () => {
        const effect = opening(event)
        if (effect === undefined) pass()
        else hold("gates", effect, pass)
      }
      take({ event, run })
    },
    watch: (given) => {
      watchers = given
    },
    waitFor,
    admit: (given, fork) => {
      admission = given
      forked = fork
      if (given.onUsage !== undefined) meter = makeMeter(given.onUsage, fork, refuse)
    },
    refused: Deferred.await(refused),
    close: () => {
      meter = undefined
      isClosed = true
      if (holding !== "gates") return
      steps = steps.filter(({ event }) => event === undefined || event.type === "turn_done")
      goOn()
    },
    settle: (end) => {
      const effect = admission?.settle?.(end)
      if (effect !== undefined) waitFor(effect)
    },
    isHolding: () => holding !== undefined,
    passed: passed.await
  }
}

/** For a gate that is slower than what it was asked about, and is to have its say. */
const patience = "1 second"

/** How it ends when the gates have heard of its session: one of them may end it yet. */
export const afterGates = (
  { isHolding, passed, refused }: Outlet,
  ending: Ending,
  unwanted: Effect.Effect<void>
): Effect.Effect<Ending> => {
  if (!isHolding()) return Effect.succeed(ending)
  const aborted: Ending = { failure: new Aborted() }
  return Effect.raceAllFirst([
    Effect.as(passed, ending),
    Effect.map(refused, (failure): Ending => ({ failure })),
    ending.failure === undefined
      ? Effect.as(unwanted, aborted)
      : Effect.as(Effect.raceFirst(Effect.sleep(patience), unwanted), ending)
  ])
}
