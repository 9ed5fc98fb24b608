/** Changes the claims on a settings file. At every step the journal holds all that is needed to restore the file. */
import { Effect, Result, Scope } from "effect"
import { SettingsUnreadable } from "../../contract/AgentError.ts"
import { untraced } from "../../contract/untraced.ts"
import { SettingsDisk } from "./disk.ts"
import { type Claim, type Journal, type Snapshot, userFile, withClaims } from "./journal.ts"
import { openFolder, type Place } from "./place.ts"
import { type FileState, postpone, put, restore } from "./rewrite.ts"
import type { Store } from "./store.ts"

/** From the claims of living processes to the next ones. */
export type Next<E, R = never> = (claimList: ReadonlyArray<Claim>) => Effect.Effect<ReadonlyArray<Claim>, E, R>

/** Maximum size of a settings file, in bytes. */
const maxBytes = 5 * 1024 * 1024

const isSameList = (a: ReadonlyArray<Claim>, b: ReadonlyArray<Claim>) =>
  a.length === b.length && a.every(({ id }, index) => id === b[index]?.id)

/** Reads the file, and removes the temporary file that a dead writer may have left. */
const readCurrent = Effect.fn(...untraced("Change.readCurrent"))(function* (
  place: Place,
  journal: Journal | undefined
) {
  const disk = yield* SettingsDisk
  const folder = yield* openFolder(place)
  if (folder.opened === undefined) return { folder, current: null, stat: undefined }
  if (journal !== undefined) yield* Effect.ignore(disk.remove(folder.opened.at(journal.temporary)))
  const found = yield* disk.read(folder.opened.at(folder.name), maxBytes).pipe(
    Effect.mapError(({ code, problem }) => {
      const isKind = code === "no file" || code === "too large"
      return new SettingsUnreadable({ file: place.file, problem: isKind ? problem : `cannot be read: ${problem}` })
    })
  )
  yield* folder.check
  if (found === undefined) return { folder, current: null, stat: undefined }
  const current: Snapshot = { bytes: new Uint8Array(found.bytes), mode: found.stat.mode }
  return { folder, current, stat: found.stat }
})

const applyClaims = Effect.fn(...untraced("Change.applyClaims"))(function* (
  place: Place,
  store: Store,
  journal: Journal | undefined,
  claimList: ReadonlyArray<Claim>,
  isJoining: boolean
) {
  const found = yield* readCurrent(place, journal)
  const user = userFile(journal, found.current)
  const state: FileState = { place, store, journal, ...found, user: Result.getOrElse(user, () => null) }
  const goal = Result.flatMap(user, (file) => withClaims(file, claimList))
  if (Result.isFailure(goal) && isJoining) {
    return yield* new SettingsUnreadable({ file: place.file, problem: goal.failure })
  }
  if (Result.isFailure(user)) return yield* postpone(state, claimList)
  if (claimList.length === 0) return yield* restore(state)
  // Where the user's edit leaves no room for the claims of other runs, the edit is kept.
  const next = Result.getOrElse(goal, () => found.current)
  yield* put(state, claimList, next)
}, Effect.scoped)

/** The journal of this directory; one of a deleted directory whose inode number this one has now is discarded. */
export const readOwn = Effect.fn(...untraced("Change.readOwn"))(function* (place: Place, store: Store) {
  const journal = yield* store.read
  if (journal === undefined || journal.born === place.born || journal.directory === place.directory) return journal
  yield* store.clear
  return undefined
})

const move = Effect.fn(...untraced("Change.move"))(function* <E, R>(place: Place, store: Store, next: Next<E, R>) {
  const journal = yield* readOwn(place, store)
  const before = journal?.claims ?? []
  const living = yield* Effect.filter(before, ({ id }) => store.isHeld(id))
  const claimList = yield* next(living)
  const isJoining = claimList.some(({ id }) => !before.some((claim) => claim.id === id))
  const isOutdated = journal !== undefined && (journal.left.length > 0 || claimList.length === 0)
  if (isSameList(before, claimList) && !isOutdated) return
  const again = Effect.flatMap(readOwn(place, store), (now) => applyClaims(place, store, now, claimList, isJoining))
  yield* applyClaims(place, store, journal, claimList, isJoining).pipe(
    Effect.catchTag("ChangedMeanwhile", () =>
      Effect.retry(again, { while: ({ _tag }) => _tag === "ChangedMeanwhile", times: 100 })
    ),
    Effect.catchTag("ChangedMeanwhile", () => {
      const problem = "keeps being changed by another program: try again"
      return Effect.fail(new SettingsUnreadable({ file: place.file, problem }))
    })
  )
})

/** Removes the leftovers of a process that died before it wrote a journal. */
const removeLeftovers = (store: Store) =>
  Effect.flatMap(store.isEmpty, (isEmpty) => (isEmpty ? store.clear : Effect.void))

const moveAndTidy = <E, R>(place: Place, store: Store, next: Next<E, R>) =>
  Effect.ensuring(move(place, store, next), Effect.ignore(removeLeftovers(store)))

export const changeClaims = <E>(place: Place, store: Store, next: Next<E>) =>
  store.exclusively(moveAndTidy(place, store, next))

/**
 * A change as a resource: acquiring changes the claims by `join`, releasing by `leave`, each under the lock of the directory.
 * A change that fails halfway is undone at once. Waiting for the lock can be interrupted, the change cannot.
 */
export const holdClaims = <E, R>(place: Place, store: Store, join: Next<E, R>, leave: Next<never>) => {
  const leaving = (left: Effect.Effect<void, SettingsUnreadable>) =>
    Effect.catch(left, ({ message }) =>
      Effect.logWarning("a settings file could not be restored; the next run in its directory tries again", message)
    )
  const joined = Effect.suspend(() => {
    let isJoined = false
    const noted: Next<E, R> = (claimList) =>
      Effect.tap(join(claimList), () =>
        Effect.sync(() => {
          isJoined = true
        })
      )
    // Where `join` itself refuses, as often as a waiting run asks, nothing was changed.
    return Effect.onError(moveAndTidy(place, store, noted), () =>
      isJoined ? leaving(moveAndTidy(place, store, leave)) : Effect.void
    )
  })
  const held = Effect.acquireRelease(joined, () => leaving(changeClaims(place, store, leave)))
  // In the caller's scope: the lock of the directory has one of its own, which is closed after the change.
  return Effect.flatMap(Effect.scope, (scope) => store.exclusively(Scope.provide(held, scope)))
}
