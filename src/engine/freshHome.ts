/**
 * A CLI that makes its files at its first use, which two processes at once disturb: the first in a home is alone until it
 * has reported its session, or for a while. What cannot be locked is left to the CLI.
 */
import { createHash } from "node:crypto"
import { statSync } from "node:fs"
import { join } from "node:path"
import { type Clock, Effect, Exit, Schedule, Scope } from "effect"
import type { Cli } from "../cli/Cli.ts"
import { FileLocks } from "../locks/fileLocks.ts"
import { openStateDirectory } from "../locks/stateDirectory.ts"
import type { Prepared } from "./prepare.ts"

/** As long as the file of a home is younger, whoever made it may be at it. */
const settledMs = 30_000

/** For the others, after which they begin all the same. */
const patience = "20 seconds"

/** The home is not fresh any more; so is one that cannot be looked at. */
const isSettled = (file: string, now: number) => {
  try {
    const birth = statSync(file, { throwIfNoEntry: false })?.birthtimeMs
    return birth !== undefined && now - birth > settledMs
  } catch {
    return true
  }
}

/** True: it is held until the scope closes. One that is not taken leaves no handle behind. */
const tryHold = Effect.fnUntraced(function* (file: string, held: Scope.Closeable) {
  const { tryLock } = yield* FileLocks
  const own = yield* Scope.fork(held)
  const isTaken = yield* Scope.provide(tryLock(file), own)
  if (!isTaken) yield* Scope.close(own, Exit.void)
  return isTaken
}, Effect.uninterruptible)

const hold = Effect.fnUntraced(function* (file: string, held: Scope.Closeable) {
  const directory = join(yield* openStateDirectory("locks"), "locks")
  const lock = join(directory, `${createHash("sha256").update(file).digest("hex")}.home`)
  yield* Effect.repeat(tryHold(lock, held), {
    until: (isTaken) => isTaken,
    schedule: Schedule.spaced("50 millis")
  }).pipe(Effect.timeoutOption(patience))
})

/**
 * Waits until no other process makes the files of the home; undefined: they are there. Release it as soon as the process has
 * made them.
 */
export const freshHomeOf = (
  { homeFile }: Pick<Cli, "homeFile">,
  { env }: Pick<Prepared, "env">,
  clock: Clock.Clock
): Effect.Effect<{ readonly release: Effect.Effect<void> }, never, Scope.Scope> | undefined => {
  const file = homeFile?.(env)
  if (file === undefined || isSettled(file, clock.currentTimeMillisUnsafe())) return undefined
  return Effect.gen(function* () {
    const held = yield* Scope.make()
    const release = Scope.close(held, Exit.void)
    yield* Effect.addFinalizer(() => release)
    yield* Effect.ignore(hold(file, held))
    return { release }
  })
}
