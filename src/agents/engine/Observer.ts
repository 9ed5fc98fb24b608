/**
 * The interface for observers: recordings, spans, counters, transcripts. An observer gets every run, live session and turn,
 * and cannot influence it: one that fails is dropped with a line in the log, and the run never waits for it.
 */
import { type Cause, Context, Effect, FiberSet, Layer, Queue, type Scope, Stream } from "effect"
import type { Observer as Interface, ObservedEvents, ObservedLines } from "../../contract/Observer.ts"
import type { End, Start } from "../../contract/Start.ts"

export type Observer = Interface

/** The items of a queued observer, in order; `end` is the last. */
export type Observed =
  | (ObservedEvents & { readonly type: "events" })
  | (ObservedLines & { readonly type: "lines" })
  | (End & { readonly type: "end" })

export interface QueuedOptions {
  readonly name: string
  /** Observes one run, session or turn in a fiber of its own; a failure is a line in the log. */
  readonly observe: (start: Start, observed: Stream.Stream<Observed>) => Effect.Effect<void, unknown>
  /** Maximum number of waiting batches; with more, it is dropped for this run. Default: 10,000. */
  readonly capacity?: number
  /** Whether it gets output lines, too. Default: false. */
  readonly lines?: boolean
}

const closingBudget = "1 second"

/**
 * An observer behind a queue, which may be slow or asynchronous. When the scope closes, queued items are processed for at
 * most 1 s.
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
        throw new Error(`more than ${capacity} batches are waiting`)
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

/** The observers of an agent. Default: none; then nothing is collected. */
export const Observers = Context.Reference<ReadonlyArray<Observer>>("reins/Observers", { defaultValue: () => [] })

/** Adds observers to the present ones: `AgentRuntime.layer(cli).pipe(Layer.provide(observersLayer([…])))`. */
export const observersLayer = (
  observers: ReadonlyArray<Observer | Effect.Effect<Observer, never, Scope.Scope>>
): Layer.Layer<never> =>
  Layer.effect(
    Observers,
    Effect.gen(function* () {
      const added = yield* Effect.forEach(observers, (each) => (Effect.isEffect(each) ? each : Effect.succeed(each)))
      return [...(yield* Observers), ...added]
    })
  )
