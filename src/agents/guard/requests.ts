/**
 * Lets one process ask another to release a lock: by a file beside the lock, touched as long as the caller waits. The
 * holder checks it only while its live session is idle. A file that is no longer touched belongs to a dead process.
 */
import { closeSync, constants, lstatSync, openSync, rmSync, utimesSync } from "node:fs"
import { Effect } from "effect"
import { findPlace, type Place } from "./place.ts"
import type { Subject } from "./subject.ts"

const touchMs = 1_000
const staleMs = 5_000

const { O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants

const touch = (file: string) =>
  Effect.sync(() => {
    try {
      closeSync(openSync(file, O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600))
      const now = new Date()
      utimesSync(file, now, now)
    } catch {
      // The holder is not asked: then it is waited for.
    }
  })

const remove = (file: string) =>
  Effect.sync(() => {
    try {
      rmSync(file, { force: true })
    } catch {
      // It becomes stale.
    }
  })

/** Asks until it is interrupted. */
export const keepAsking = ({ wanted: requestFile }: Place): Effect.Effect<never> =>
  Effect.forever(Effect.andThen(touch(requestFile), Effect.sleep(touchMs))).pipe(Effect.ensuring(remove(requestFile)))

/** Asks by subject; without a state directory the holder cannot be asked. */
export const askFor = (subject: Subject): Effect.Effect<never> =>
  Effect.matchEffect(findPlace(subject), { onFailure: () => Effect.never, onSuccess: keepAsking })

/** Whether another process, or another run of this one, waits for it now. */
export const isWanted = ({ wanted: requestFile }: Place): boolean => {
  try {
    const info = lstatSync(requestFile, { throwIfNoEntry: false })
    return info !== undefined && Math.abs(Date.now() - info.mtimeMs) < staleMs
  } catch {
    return false
  }
}
