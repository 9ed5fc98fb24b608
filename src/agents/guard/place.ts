/** The files of a subject in the state directory: its lock, and beside it what others may read. */
import { join } from "node:path"
import { Effect } from "effect"
import { FileLocks } from "../../system/locks/fileLocks.ts"
import { findStateDirectory, openDirectories, type StateUnusable } from "../../system/locks/stateDirectory.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
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

const known = new WeakMap<object, { readonly variables: string; readonly state: string }>()

/** Asked about several times a run: found once, and again when the variables change that say where it is. */
const findState = Effect.gen(function* () {
  const env = yield* HostEnvironment
  const variables = JSON.stringify([env["XDG_STATE_HOME"], env["HOME"], env["LOCALAPPDATA"], env["USERPROFILE"]])
  const last = known.get(env)
  if (last?.variables === variables) return last.state
  const state = yield* findStateDirectory
  known.set(env, { variables, state })
  return state
})

/** Where the subject is held; creates nothing. */
export const findPlace = (subject: Subject): Effect.Effect<Place, StateUnusable> =>
  Effect.map(findState, (state) => placeIn(state, subject))

const openLocks = Effect.flatMap(findState, (state) => Effect.as(openDirectories(state, locksName), state))

/** Creates the directory if it is missing. */
export const openPlace = (subject: Subject): Effect.Effect<Place, StateUnusable> =>
  Effect.map(openLocks, (state) => placeIn(state, subject))

/** The reason why processes of this user cannot lock each other out; undefined if they can. */
export const lockingProblem: Effect.Effect<string | undefined> = Effect.gen(function* () {
  const { missing } = yield* FileLocks
  const opened = Effect.as(openLocks, undefined)
  return (yield* missing) ?? (yield* Effect.catchTag(opened, "StateUnusable", ({ problem }) => Effect.succeed(problem)))
})
