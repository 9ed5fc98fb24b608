/** Retries a change of the journal until the store accepts it, so that its caller does not have to start over. */
import { Effect, Schedule } from "effect"
import type { JournalFailure } from "./replies.ts"

const retryDelay = "1 second"

/** @param subject For the log, such as `a command`. */
export const retryWhileStoreFails = <A>(
  subject: string,
  change: Effect.Effect<A, JournalFailure>
): Effect.Effect<A, JournalFailure> =>
  change.pipe(
    Effect.tapError((error) => Effect.logWarning(`${subject} waits for the store: ${error.message}`)),
    Effect.retry({ schedule: Schedule.spaced(retryDelay), while: ({ _tag }) => _tag === "StoreError" })
  )
