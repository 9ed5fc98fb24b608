/**
 * The subject of a lock, a session of a CLI or a conversation, and its files in the state directory: the lock, named by a
 * digest so that any id makes a file name, and beside it what others may read and touch.
 */
import { createHash } from "node:crypto"
import { closeSync, constants, lstatSync, openSync, rmSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { FileLocks } from "../../system/locks/fileLocks.ts"
import { findStateDirectory, openDirectories, type StateUnusable } from "../../system/locks/stateDirectory.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"

export interface SessionSubject {
  readonly what: "session"
  readonly cli: string
  /** The CLI's own id of the session. */
  readonly sessionId: string
}

interface ConversationSubject {
  readonly what: "conversation"
  readonly key: ReadonlyArray<string>
  /** Identifies the store: conversations of the same name in two stores have nothing in common. */
  readonly store: string
}

export type Subject = SessionSubject | ConversationSubject

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** UUIDs are the same in either case of their letters; other ids are not. */
const canonical = (sessionId: string) => (uuid.test(sessionId) ? sessionId.toLowerCase() : sessionId)

export const isSameSession = (one: string, other: string) => canonical(one) === canonical(other)

/** As JSON, no separator in a part makes two subjects one. */
const partsOf = (subject: Subject) =>
  subject.what === "session" ? [subject.cli, canonical(subject.sessionId)] : [subject.store, ...subject.key]

export const lockName = (subject: Subject) =>
  `${subject.what}-${createHash("sha256")
    .update(JSON.stringify(partsOf(subject)))
    .digest("hex")}`

const mostCharacters = 200

/** As much of the name as fits into a message. */
export const subjectName = (subject: Subject) => {
  const name = subject.what === "session" ? subject.sessionId : subject.key.join(" / ")
  return name.length <= mostCharacters ? name : `${name.slice(0, mostCharacters)}…`
}

export const locksName = "locks"

export interface Place {
  /** Opened by nothing but `locks/kernelLock.ts`. */
  readonly lock: string
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

/** Needed several times a run: found once, and again when the variables change that say where it is. */
const findState = Effect.gen(function* () {
  const env = yield* HostEnvironment
  const names = ["XDG_STATE_HOME", "HOME", "SUDO_UID", "LOCALAPPDATA", "USERPROFILE"]
  const variables = JSON.stringify(names.map((name) => env[name]))
  const last = known.get(env)
  if (last?.variables === variables) return last.state
  const state = yield* findStateDirectory
  known.set(env, { variables, state })
  return state
})

/** The files of the subject; creates nothing. */
export const findPlace = (subject: Subject): Effect.Effect<Place, StateUnusable> =>
  Effect.map(findState, (state) => placeIn(state, subject))

const openLocks = Effect.flatMap(findState, (state) => Effect.as(openDirectories(state, locksName), state))

export const openPlace = (subject: Subject): Effect.Effect<Place, StateUnusable> =>
  Effect.map(openLocks, (state) => placeIn(state, subject))

/** The reason why processes of this user cannot lock each other out; undefined if they can. */
export const lockingProblem: Effect.Effect<string | undefined> = Effect.gen(function* () {
  const { missing } = yield* FileLocks
  const opened = Effect.as(openLocks, undefined)
  return (yield* missing) ?? (yield* Effect.catchTag(opened, "StateUnusable", ({ problem }) => Effect.succeed(problem)))
})

// One process asks another to release a lock by touching a file beside the lock as long as it waits. The holder looks at it
// while its live session is idle. A file that is no longer touched belongs to a dead process.

const touchMs = 1_000
const staleMs = 5_000
const { O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants

/** If it fails, the holder is not asked, but only waited for. */
const touch = (file: string) =>
  Effect.ignore(
    Effect.try(() => {
      closeSync(openSync(file, O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600))
      const now = new Date()
      utimesSync(file, now, now)
    })
  )

/** Asks until it is interrupted. A file that cannot be removed becomes stale. */
export const keepAsking = ({ wanted: file }: Place): Effect.Effect<never> =>
  Effect.forever(Effect.andThen(touch(file), Effect.sleep(touchMs))).pipe(
    Effect.ensuring(Effect.ignore(Effect.try(() => rmSync(file, { force: true }))))
  )

/** Asks by subject; without a state directory the holder cannot be asked. */
export const askFor = (subject: Subject): Effect.Effect<never> =>
  Effect.matchEffect(findPlace(subject), { onFailure: () => Effect.never, onSuccess: keepAsking })

/** Whether another process, or another run of this one, waits for it now. */
export const isWanted = ({ wanted: file }: Place): boolean => {
  try {
    const info = lstatSync(file, { throwIfNoEntry: false })
    return info !== undefined && Math.abs(Date.now() - info.mtimeMs) < staleMs
  } catch {
    return false
  }
}
