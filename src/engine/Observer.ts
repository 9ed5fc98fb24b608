/**
 * The seam for those who watch: recordings, spans, counters, transcripts. An observer hears of every run, live session
 * and turn, and has no say: one that fails is let go with a line in the log, and the run never waits for it.
 */
import { type Cause, Context, Effect, FiberSet, Layer, Queue, type Scope, Stream } from "effect"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { End, Start } from "../contract/Start.ts"

/** All events that one chunk of the process' output gave, in order. */
export interface ObservedEvents {
  /** Of the first of them, among all events of the run, the session or the turn: from 0. */
  readonly position: number
  /** Milliseconds of the epoch. */
  readonly atMs: number
  readonly events: ReadonlyArray<AgentEvent>
}

/** The same for lines that the CLI printed, secrets taken out. */
export interface ObservedLines extends Omit<ObservedEvents, "events"> {
  readonly lines: ReadonlyArray<string>
}

/** What an observer wants to hear of one run, session or turn. Called synchronously, one after the other. */
export interface Observation {
  /** As the consumer gets them, `done` or `turn_done` included; a session's are those of all its turns. */
  readonly events?: (observed: ObservedEvents) => void
  /** Of runs and sessions. Gathered only where an observer has this. */
  readonly lines?: (observed: ObservedLines) => void
  /** The last call. What a process prints while it leaves may still come in lines before it. */
  readonly end?: (end: End) => void
}

export interface Observer {
  /** For the log. */
  readonly name: string
  /**
   * Called when the params are accepted, before the gates are asked. Gives nothing where it does not care. One that
   * throws, here or later, hears no more of this run, session or turn.
   */
  readonly begin: (start: Start) => Observation | undefined
}

/** What a queued observer hears, in order; `end` is the last. */
export type Observed =
  | (ObservedEvents & { readonly type: "events" })
  | (ObservedLines & { readonly type: "lines" })
  | (End & { readonly type: "end" })

export interface QueuedOptions {
  readonly name: string
  /** What it does for one run, session or turn, in a fiber of its own; a failure is a line in the log. */
  readonly observe: (start: Start, observed: Stream.Stream<Observed>) => Effect.Effect<void, unknown>
  /** Batches that may wait; with more, it is let go for this run. Default: 10,000. */
  readonly capacity?: number
  /** Whether it hears lines, too. Default: false. */
  readonly lines?: boolean
}

const closingBudget = "1 second"

/**
 * An observer that takes its time, or is asynchronous: a queue stands before it. When the scope closes, what is queued is
 * worked off for 1 s at most.
 */
const queued = Effect.fnUntraced(function* ({ name, observe, capacity = 10_000, lines = false }: QueuedOptions) {
  const fibers = yield* FiberSet.make<void>()
  const run = yield* FiberSet.runtime(fibers)()
  yield* Effect.addFinalizer(() => Effect.asVoid(Effect.timeoutOption(FiberSet.awaitEmpty(fibers), closingBudget)))
  const observer: Observer = {
    name,
    begin: (start) => {
      const queue = Effect.runSync(Queue.dropping<Observed, Cause.Done>(capacity))
      let isOver = false
      const offer = (observed: Observed) => {
        if (isOver || Queue.offerUnsafe(queue, observed)) return
        Queue.endUnsafe(queue)
        throw new Error(`more than ${capacity} batches wait`)
      }
      const work = Effect.suspend(() => observe(start, Stream.fromQueue(queue))).pipe(
        Effect.catchCause((cause) => Effect.logWarning(`the observer "${name}" failed`, cause)),
        Effect.ensuring(
          Effect.sync(() => {
            isOver = true
          })
        )
      )
      run(work)
      return {
        events: (observed) => offer({ type: "events", ...observed }),
        ...(lines ? { lines: (observed) => offer({ type: "lines", ...observed }) } : {}),
        end: (end) => {
          offer({ type: "end", ...end })
          Queue.endUnsafe(queue)
        }
      }
    }
  }
  return observer
})

export const Observer: {
  readonly queued: (options: QueuedOptions) => Effect.Effect<Observer, never, Scope.Scope>
} = { queued }

/** Who observes an agent. Default: nobody; then nothing is gathered. */
export const Observers = Context.Reference<ReadonlyArray<Observer>>("reins/Observers", { defaultValue: () => [] })

/** Adds observers to those that are there: `Claude.layer().pipe(Layer.provide(observersLayer([…])))`. */
export const observersLayer = (
  observers: ReadonlyArray<Observer | Effect.Effect<Observer, never, Scope.Scope>>
): Layer.Layer<never> =>
  Layer.effect(
    Observers,
    Effect.gen(function* () {
      const present = yield* Observers
      return [...present, ...(yield* Effect.forEach(observers, made))]
    })
  )

const made = (observer: Observer | Effect.Effect<Observer, never, Scope.Scope>) =>
  Effect.isEffect(observer) ? observer : Effect.succeed(observer)
