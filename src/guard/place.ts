/** The files of a subject in the state directory: its lock, and beside it what others may read. */
import { join } from "node:path"
import { Effect } from "effect"
import { FileLocks } from "../locks/fileLocks.ts"
import { findStateDirectory, openStateDirectory, type StateUnusable } from "../locks/stateDirectory.ts"
import { lockName, type Subject } from "./subject.ts"

export const locksName = "locks"

export interface Place {
  /** Opened by nothing but `locks/kernelLock.ts`. */
  readonly lock: string
  /** Who holds it. */
  readonly holder: string
  /** Touched by those who wait for it. */
  readonly wanted: string
}

export const suffixes = { holder: ".holder", fresh: ".holder.new", wanted: ".wanted" } as const

const placeIn = (state: string, subject: Subject): Place => {
  const lock = join(state, locksName, lockName(subject))
  return { lock, holder: `${lock}${suffixes.holder}`, wanted: `${lock}${suffixes.wanted}` }
}

/** Where the subject is held; creates nothing. */
export const findPlace = (subject: Subject): Effect.Effect<Place, StateUnusable> =>
  Effect.map(findStateDirectory, (state) => placeIn(state, subject))

/** Creates the directory if it is missing. */
export const openPlace = (subject: Subject): Effect.Effect<Place, StateUnusable> =>
  Effect.map(openStateDirectory(locksName), (state) => placeIn(state, subject))

/** Why there are no locks between the processes of this user; undefined if there are. */
export const lockingProblem: Effect.Effect<string | undefined> = Effect.gen(function* () {
  const { missing } = yield* FileLocks
  const opened = Effect.as(openStateDirectory(locksName), undefined)
  return (yield* missing) ?? (yield* Effect.catchTag(opened, "StateUnusable", ({ problem }) => Effect.succeed(problem)))
})
