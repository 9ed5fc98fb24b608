/**
 * A gate and an observer that are still to come, since their store is opened beside the start of the agent: what has
 * happened by then is passed on, in order. The end of a run waits for them.
 */
import { Effect, Exit, Fiber, Scope } from "effect"
import type { Gate, Permit } from "../../agents/engine/Gate.ts"
import type { Observation, ObservedEvents, Observer } from "../../contract/Observer.ts"
import type { End, GateStart, Start } from "../../contract/Start.ts"

export interface Seams {
  readonly gate: Gate
  readonly observer: Observer
}

export interface LateSeams extends Seams {
  /** Before the gate is asked: the observer has come. */
  readonly connect: (start: Start, observer: Observer) => void
  /** All that was written, for the end of the program. */
  readonly written: Effect.Effect<void>
}

/** A run or session that was begun: its first events, until the observer has come. */
interface Begun {
  readonly connect: (observer: Observer) => void
}

const observe = (start: Start, redact: (text: string) => string) => {
  const waiting: Array<ObservedEvents> = []
  let inner: Observation | undefined
  let isConnected = false
  const begun: Begun = {
    connect: (observer) => {
      if (isConnected) return
      isConnected = true
      inner = observer.begin(start, redact)
      for (const observed of waiting.splice(0)) inner?.events?.(observed)
    }
  }
  const observation: Observation = {
    events: (observed) => {
      if (isConnected) return inner?.events?.(observed)
      // The others are many, and say nothing of who pays for which model.
      const events = observed.events.filter(({ type }) => type === "session")
      if (events.length > 0) waiting.push({ ...observed, events })
    },
    end: (end) => inner?.end?.(end)
  }
  return { begun, observation }
}

/** `opened`: undefined where the store could not be opened, of which a warning was given. */
export const lateSeams = Effect.fnUntraced(function* (
  opened: Effect.Effect<Seams | undefined>
): Effect.fn.Return<LateSeams, never, Scope.Scope> {
  const outer = yield* Effect.scope
  const known = new Map<string, Begun>()
  const writing = new Set<Fiber.Fiber<void>>()

  const admit = Effect.fnUntraced(function* (start: GateStart): Effect.fn.Return<Permit, never, Scope.Scope> {
    const scope = yield* Scope.fork(outer)
    let permit: Permit | undefined
    let [isStarted, sessionId]: [boolean, string | undefined] = [false, undefined]
    const admission = Effect.gen(function* () {
      const seams = yield* opened
      if (seams === undefined) return
      known.get(start.id)?.connect(seams.observer)
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
    // Without an end nothing was started: the gate forgets it.
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
    connect: ({ id }, observer) => known.get(id)?.connect(observer),
    gate: { name: "ledger", admit },
    observer: {
      name: "ledger",
      begin: (start, redact) => {
        const { begun, observation } = observe(start, redact)
        known.set(start.id, begun)
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
