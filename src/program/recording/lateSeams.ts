/**
 * A gate and an observer that connect later, since their store is opened beside the start of the agent: earlier events are
 * passed on, in order. The end of a run waits for them.
 */
import { Effect, Exit, Fiber, Scope } from "effect"
import type { Gate, Permit } from "../../agents/engine/Gate.ts"
import type { Observation, ObservedEvents, Observer } from "../../contract/Observer.ts"
import type { End, GateStart, Start } from "../../contract/Start.ts"
import { untraced } from "../../contract/untraced.ts"

export interface Seams {
  readonly gate: Gate
  readonly observer: Observer
}

export interface LateSeams extends Seams {
  /** Connects the observer of a start, before the gate is asked. */
  readonly connect: (start: Start, observer: Observer) => void
  /** Waits for all writes, for the end of the program. */
  readonly written: Effect.Effect<void>
}

/** Observes a started run or session; its first events wait for the observer. */
const observe = (start: Start, redact: (text: string) => string) => {
  const waiting: Array<ObservedEvents> = []
  let inner: Observation | undefined
  let isConnected = false
  const connect = (observer: Observer): void => {
    if (isConnected) return
    isConnected = true
    inner = observer.begin(start, redact)
    for (const observed of waiting.splice(0)) inner?.events?.(observed)
  }
  const observation: Observation = {
    events: (observed) => {
      if (isConnected) return inner?.events?.(observed)
      // Other events are many, and the ledger does not need them.
      const events = observed.events.filter(({ type }) => type === "session")
      if (events.length > 0) waiting.push({ ...observed, events })
    },
    end: (end) => inner?.end?.(end)
  }
  return { connect, observation }
}

/** `opened`: undefined, after a warning, if the store could not be opened. */
export const lateSeams = Effect.fn(...untraced("Program.lateSeams"))(function* (
  opened: Effect.Effect<Seams | undefined>
): Effect.fn.Return<LateSeams, never, Scope.Scope> {
  const outer = yield* Effect.scope
  const known = new Map<string, (observer: Observer) => void>()
  const writing = new Set<Fiber.Fiber<void>>()

  const admit = Effect.fn(...untraced("LateSeams.admit"))(function* (
    start: GateStart
  ): Effect.fn.Return<Permit, never, Scope.Scope> {
    const scope = yield* Scope.fork(outer)
    let permit: Permit | undefined
    let [isStarted, sessionId]: [boolean, string | undefined] = [false, undefined]
    const admission = Effect.gen(function* () {
      const seams = yield* opened
      if (seams === undefined) return
      known.get(start.id)?.(seams.observer)
      const found = yield* Scope.provide(seams.gate.admit(start), scope)
      if (isStarted) yield* found.starting ?? Effect.void
      if (sessionId !== undefined) yield* found.opened?.(sessionId) ?? Effect.void
      permit = found
    })
    const asking = yield* Effect.forkIn(
      Effect.catchCause(admission, (cause) => Effect.logWarning("the usage of a run is not recorded", cause)),
      outer
    )
    const close = Effect.suspend(() => Scope.close(scope, Exit.void))
    let isSettled = false
    // Nothing was started without an end: the gate forgets it.
    yield* Effect.addFinalizer(() => (isSettled ? Effect.void : Effect.andThen(Fiber.interrupt(asking), close)))

    const settle = (end: End) =>
      Effect.gen(function* () {
        isSettled = true
        const work = Fiber.await(asking).pipe(
          Effect.andThen(Effect.suspend(() => permit?.settle?.(end) ?? Effect.void)),
          Effect.ensuring(close)
        )
        // A fiber of the program: the run's own end may come first.
        const fiber = yield* Effect.forkIn(work, outer)
        writing.add(fiber)
        fiber.addObserver(() => writing.delete(fiber))
        yield* Fiber.join(fiber)
      })
    return {
      starting: Effect.suspend(() => {
        isStarted = true
        return permit?.starting ?? Effect.void
      }),
      settle,
      ...(start.type === "turn"
        ? {}
        : {
            opened: (id: string) => {
              sessionId = id
              return permit?.opened?.(id) ?? Effect.void
            }
          }),
      onUsage: (usage) => permit?.onUsage?.(usage) ?? Effect.void
    }
  })

  return {
    connect: ({ id }, observer) => known.get(id)?.(observer),
    gate: { name: "ledger", admit },
    observer: {
      name: "ledger",
      begin: (start, redact) => {
        const { connect, observation } = observe(start, redact)
        known.set(start.id, connect)
        return {
          ...observation,
          end: (end) => {
            observation.end?.(end)
            known.delete(start.id)
          }
        }
      }
    },
    written: Effect.suspend(() => Effect.forEach(writing, Fiber.await, { discard: true }))
  }
})
