/**
 * The one way in which a settings file is changed: from the claims on it to other claims. Acquiring, giving back and
 * recovering differ in nothing but what they make of the claims. At every step the journal tells how to go back.
 */
import { Effect, Result } from "effect"
import { SettingsUnreadable } from "../contract/AgentError.ts"
import { SettingsDisk } from "./disk.ts"
import { type Claim, type Journal, type Snapshot, userFile, withClaims } from "./journal.ts"
import { openFolder, type Place } from "./place.ts"
import { put, type Standing, settle, wait } from "./rewrite.ts"
import type { Store } from "./store.ts"

/** From the claims of living processes to those that shall hold. */
export type Next<E> = (claims: ReadonlyArray<Claim>) => Effect.Effect<ReadonlyArray<Claim>, E>

/** A settings file may be this large. */
const sizeLimit = 5 * 1024 * 1024

const isSameList = (a: ReadonlyArray<Claim>, b: ReadonlyArray<Claim>) =>
  a.length === b.length && a.every(({ id }, index) => id === b[index]?.id)

/** What a dead writer has left is removed by the name that the journal tells. */
const look = Effect.fnUntraced(function* (place: Place, journal: Journal | undefined) {
  const disk = yield* SettingsDisk
  const folder = yield* openFolder(place)
  if (folder.opened === undefined) return { folder, current: null, stat: undefined }
  if (journal !== undefined) yield* Effect.ignore(disk.remove(folder.opened.at(journal.temporary)))
  const found = yield* disk.read(folder.opened.at(folder.name), sizeLimit).pipe(
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

const bring = Effect.fnUntraced(function* (
  place: Place,
  store: Store,
  journal: Journal | undefined,
  claims: ReadonlyArray<Claim>,
  isJoining: boolean
) {
  const found = yield* look(place, journal)
  const user = userFile(journal, found.current)
  const standing: Standing = { place, store, journal, ...found, user: Result.getOrElse(user, () => null) }
  const goal = Result.flatMap(user, (file) => withClaims(file, claims))
  if (Result.isFailure(goal) && isJoining) {
    return yield* new SettingsUnreadable({ file: place.file, problem: goal.failure })
  }
  if (Result.isFailure(user)) return yield* wait(standing, claims)
  if (claims.length === 0) return yield* settle(standing)
  // Where there is no room for what the others need, the user's edit stands.
  yield* put(
    standing,
    claims,
    Result.getOrElse(goal, () => found.current)
  )
}, Effect.scoped)

/** The journal of a directory that is gone, and of which this one has the number, says nothing about this one. */
export const readOwn = Effect.fnUntraced(function* (place: Place, store: Store) {
  const journal = yield* store.read
  if (journal === undefined || journal.born === place.born || journal.directory === place.directory) return journal
  yield* store.clear
  return undefined
})

const move = Effect.fnUntraced(function* <E>(place: Place, store: Store, next: Next<E>) {
  const journal = yield* readOwn(place, store)
  const before = journal?.claims ?? []
  const living = yield* Effect.filter(before, ({ id }) => store.isHeld(id))
  const claims = yield* next(living)
  const isJoining = claims.some(({ id }) => !before.some((claim) => claim.id === id))
  const hasNews = journal !== undefined && (journal.left.length > 0 || claims.length === 0)
  if (isSameList(before, claims) && !hasNews) return
  const again = Effect.flatMap(readOwn(place, store), (now) => bring(place, store, now, claims, isJoining))
  yield* bring(place, store, journal, claims, isJoining).pipe(
    Effect.catchTag("Overtaken", () => Effect.retry(again, { while: ({ _tag }) => _tag === "Overtaken", times: 100 })),
    Effect.catchTag("Overtaken", () =>
      Effect.fail(new SettingsUnreadable({ file: place.file, problem: "is changed by somebody else all the time" }))
    )
  )
})

/** What a process that has died before it wrote a journal has left goes with the others' change. */
const tidy = (store: Store) => Effect.flatMap(store.isEmpty, (isEmpty) => (isEmpty ? store.clear : Effect.void))

export const changeClaims = <E>(place: Place, store: Store, next: Next<E>) =>
  store.exclusively(Effect.ensuring(move(place, store, next), Effect.ignore(tidy(store))))
