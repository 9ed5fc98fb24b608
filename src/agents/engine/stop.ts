/**
 * The request to end a run or session from outside of its process: the caller aborts or leaves, a gate refuses, the total
 * time is over. The first request counts; fibers of the run wait for it.
 */
import { Deferred, Effect, type Scope } from "effect"
import { Aborted, type FailureReason } from "../../contract/AgentError.ts"

export interface StopRequest {
  readonly by: "abort" | "caller" | "gate" | "time"
  readonly failure: FailureReason
}

export type Stop = Deferred.Deferred<StopRequest>

export const makeStop = (): Stop => Deferred.makeUnsafe<StopRequest>()

export const requestStop = (stop: Stop, by: StopRequest["by"], failure: FailureReason = new Aborted()): void => {
  Deferred.doneUnsafe(stop, Effect.succeed({ by, failure }))
}

/** Fails when the stop is requested. */
export const stopped = (stop: Stop): Effect.Effect<never, FailureReason> =>
  Effect.flatMap(Deferred.await(stop), ({ failure }) => Effect.fail(failure))

const onAbort = (signal: AbortSignal, abort: () => void) => {
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  return () => signal.removeEventListener("abort", abort)
}

/** Completes when the caller's signal is aborted; never without a signal. */
export const aborted = (signal: AbortSignal | undefined): Effect.Effect<void> =>
  signal === undefined
    ? Effect.never
    : Effect.callback((resume) => Effect.sync(onAbort(signal, () => resume(Effect.void))))

/** An abort requests the stop, as long as the scope. */
export const stopOnAbort = (stop: Stop, signal: AbortSignal | undefined): Effect.Effect<void, never, Scope.Scope> => {
  if (signal === undefined) return Effect.void
  const listen = Effect.sync(() => onAbort(signal, () => requestStop(stop, "abort")))
  return Effect.asVoid(Effect.acquireRelease(listen, (ignore) => Effect.sync(ignore)))
}
