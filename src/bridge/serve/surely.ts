/** A change of the journal that is made as soon as the store takes it, in the place of those who would begin all anew. */
import { Effect, Schedule } from "effect"
import type { JournalFailure } from "./voice.ts"

const trouble = "1 second"

/** @param subject For the log, such as `a command`. */
export const surely = <A>(
  subject: string,
  change: Effect.Effect<A, JournalFailure>
): Effect.Effect<A, JournalFailure> =>
  change.pipe(
    Effect.tapError((error) => Effect.logWarning(`${subject} waits: ${error.message}`)),
    Effect.retry({ schedule: Schedule.spaced(trouble), while: ({ _tag }) => _tag === "StoreError" })
  )
