/**
 * The one way in which a settings file is changed: from the claims on it to other claims. Acquiring, giving back and
 * recovering differ in nothing but what they make of the claims. At every step the journal tells how to go back.
 */
import { Effect, FileSystem, Path, Result } from "effect"
import { SettingsUnreadable } from "../AgentError.ts"
import { inDirectory, type MadeDirectory } from "./directory.ts"
import { readJournal, readSnapshot, removeFile, writeJournal, writeSnapshot } from "./files.ts"
import { HostProcess } from "./host.ts"
import { type Claim, isSame, type Journal, mentions, type Snapshot, userFile, withClaims } from "./journal.ts"
import { DirectoryGone, locked } from "./lock.ts"
import { ownName, type Place } from "./place.ts"

/** From the claims of living processes to those that shall hold. */
export type Next<E> = (claims: ReadonlyArray<Claim>) => Effect.Effect<ReadonlyArray<Claim>, E>

interface Standing {
  readonly place: Place
  readonly directory: MadeDirectory
  readonly journal: Journal | undefined
  readonly current: Snapshot | null
  readonly user: Snapshot | null
  readonly temporary: string
}

const isSameList = (a: ReadonlyArray<Claim>, b: ReadonlyArray<Claim>) =>
  a.length === b.length && a.every(({ id }, index) => id === b[index]?.id)

const departed = (journal: Journal | undefined, claims: ReadonlyArray<Claim>) =>
  (journal?.claims ?? []).filter(({ id }) => !claims.some((claim) => claim.id === id))

/** Nobody needs the file changed: the user's file comes back, and the journal goes last. */
const settle = Effect.fnUntraced(function* ({ place, directory, journal, user, temporary }: Standing) {
  if (journal === undefined) return
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const kept = journal.kept === null ? undefined : path.join(place.directory, journal.kept)
  const isOriginal = user !== null && isSame(user, journal.original)
  const target = yield* Effect.orElseSucceed(fs.realPath(place.file), () => place.file)
  const isBack =
    kept !== undefined && isOriginal
      ? yield* fs.rename(kept, target).pipe(
          Effect.as(true),
          Effect.orElseSucceed(() => false)
        )
      : false
  // Two names of one file: then the rename has done nothing.
  if (kept !== undefined) yield* removeFile(kept)
  if (!isBack && !isSame(user, yield* readSnapshot(place.file))) {
    yield* user === null ? removeFile(place.file) : writeSnapshot(place.file, user, temporary)
  }
  if (journal.madeDirectory) yield* directory.mark
  yield* removeFile(place.journal)
  directory.isOwed = directory.isOwed || journal.madeDirectory
})

/** First the journal, then the file. */
const put = Effect.fnUntraced(function* (standing: Standing, claims: ReadonlyArray<Claim>, goal: Snapshot | null) {
  const { place, directory, journal, current, user, temporary } = standing
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const isFirst = journal === undefined && current !== null
  const isRebased = !isSame(user, journal?.original ?? null)
  const own = isFirst ? `${place.prefix}original.${crypto.randomUUID()}` : null
  if (journal !== undefined && journal.kept !== null && isRebased) {
    yield* removeFile(path.join(place.directory, journal.kept))
  }
  const kept = isFirst ? own : isRebased ? null : (journal?.kept ?? null)
  const madeDirectory = directory.isOwed || journal?.madeDirectory === true
  // What goes out now is in the file until it is written, and what went out before unless it was written since.
  const isClean = journal === undefined || isSame(current, journal.written.at(-1) ?? null)
  const left = [...(isClean ? [] : journal.left), ...departed(journal, claims)]
  const next: Journal = { version: 1, original: user, kept, madeDirectory, written: [current, goal], claims, left }
  yield* writeJournal(place, next, temporary)
  directory.isOwed = false
  if (own !== null) yield* Effect.ignore(fs.link(place.file, path.join(place.directory, own)))
  if (goal !== null && !isSame(goal, current)) yield* writeSnapshot(place.file, goal, temporary)
})

/** What cannot be read stands as it is; what was put there is taken out when it can be read again. */
const wait = Effect.fnUntraced(function* (standing: Standing, claims: ReadonlyArray<Claim>) {
  const { place, journal, current, temporary } = standing
  if (journal === undefined) return
  const over = departed(journal, claims)
  const left = [...journal.left, ...over]
  if (claims.length === 0 && !mentions(current, left)) return yield* settle({ ...standing, user: current })
  if (over.length > 0) yield* writeJournal(place, { ...journal, claims, left }, temporary)
})

const move = Effect.fnUntraced(function* <E>(place: Place, directory: MadeDirectory, next: Next<E>) {
  const path = yield* Path.Path
  const host = yield* HostProcess
  const journal = yield* readJournal(place)
  const before = journal?.claims ?? []
  const claims = yield* next(before.filter(host.isAlive))
  const isJoining = claims.some(({ id }) => !before.some((claim) => claim.id === id))
  const hasNews = directory.isOwed || (journal?.left.length ?? 0) > 0 || claims.length === 0
  if (isSameList(before, claims) && !hasNews) return
  const current = yield* readSnapshot(place.file)
  const user = userFile(journal, current)
  const temporary = path.join(place.directory, ownName(place.prefix, "new", host.self, crypto.randomUUID()))
  const standing: Standing = { place, directory, journal, current, user: Result.getOrElse(user, () => null), temporary }
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
    Result.getOrElse(goal, () => current)
  )
})

const isGone = (error: unknown): error is DirectoryGone => error instanceof DirectoryGone

export const changeClaims = <E>(place: Place, next: Next<E>) =>
  inDirectory(place, (directory) => locked(place, move(place, directory, next))).pipe(
    // Another run has just removed the directory that it had made.
    Effect.retry({ while: isGone, times: 100 }),
    Effect.catchIf(isGone, () =>
      Effect.fail(new SettingsUnreadable({ file: place.file, problem: "is in a directory that comes and goes" }))
    )
  )
