/**
 * The steps by which a settings file takes another form: put in, given back, or left as it stands. Each one is safe to
 * die behind: first the journal says how to go back, then the file changes.
 */
import { Effect, Schema } from "effect"
import { type OpenDirectory, SettingsDisk } from "./disk.ts"
import { type Claim, fingerprint, isSame, type Journal, mentions, type Owner, type Snapshot } from "./journal.ts"
import { type Folder, type Place, refuse } from "./place.ts"
import type { Store } from "./store.ts"
import type { Stat } from "./wholeFile.ts"

/** The file was changed by somebody else after it was read. */
export class Overtaken extends Schema.TaggedError<Overtaken>()("Overtaken", {}) {}

export interface Standing {
  readonly place: Place
  readonly store: Store
  readonly folder: Folder
  readonly journal: Journal | undefined
  readonly current: Snapshot | null
  /** Of the file as it was read. */
  readonly stat: Stat | undefined
  readonly user: Snapshot | null
}

const departed = (journal: Journal | undefined, claims: ReadonlyArray<Claim>) =>
  (journal?.claims ?? []).filter(({ id }) => !claims.some((claim) => claim.id === id))

/** Immediately before the file is replaced or removed: an edit of the user since it was read is not lost. */
const unchanged = Effect.fnUntraced(function* ({ place, folder, stat }: Standing, directory: OpenDirectory) {
  const disk = yield* SettingsDisk
  yield* folder.check
  const now = yield* Effect.mapError(disk.look(directory.at(folder.name)), refuse(place.file, "read"))
  if (now?.revision !== stat?.revision) return yield* new Overtaken()
})

/** Of the user's file. While secrets are in it, it is the writer's own, and says nothing of that. */
const ownerOf = ({ journal, stat }: Standing): Owner | undefined =>
  journal?.owner !== undefined && stat?.uid === process.geteuid?.() ? journal.owner : stat

const hasSecret = (claims: ReadonlyArray<Claim>) => claims.some(({ secret }) => secret)

/** A reader sees the old or the new file and never a part. Without an owner it is the writer's own. */
const write = Effect.fnUntraced(function* (
  standing: Standing,
  directory: OpenDirectory,
  file: Snapshot,
  name: string,
  owner: Owner | undefined
) {
  const { place, folder } = standing
  const disk = yield* SettingsDisk
  const [temporary, target] = [directory.at(name), directory.at(folder.name)]
  const written = Effect.gen(function* () {
    yield* folder.check
    yield* Effect.mapError(
      disk.create(temporary, file.bytes, { mode: file.mode, owner }),
      refuse(place.file, "written")
    )
    yield* unchanged(standing, directory)
    yield* Effect.mapError(disk.rename(temporary, target), refuse(place.file, "written"))
    yield* folder.check
  })
  yield* Effect.tapError(written, () => Effect.ignore(disk.remove(temporary)))
})

/** The user's own file, with its inode and times, takes its place again; false where it is not at hand. */
const putBack = Effect.fnUntraced(function* (standing: Standing, directory: OpenDirectory) {
  const { store, folder } = standing
  const disk = yield* SettingsDisk
  if (store.kept === undefined) return false
  const kept = yield* Effect.orElseSucceed(disk.look(store.kept), () => undefined)
  if (kept?.kind !== "file") return false
  yield* unchanged(standing, directory)
  return yield* disk.rename(store.kept, directory.at(folder.name)).pipe(
    Effect.as(true),
    // Such as from one file system to another.
    Effect.orElseSucceed(() => false)
  )
})

/** Nobody needs the file changed: the user's file comes back, and the journal goes last. */
export const settle = Effect.fnUntraced(function* (standing: Standing) {
  const { place, store, folder, journal, current, user } = standing
  if (journal === undefined) return
  const disk = yield* SettingsDisk
  if (folder.opened !== undefined) {
    const isBack = user !== null && isSame(user, journal.original) && (yield* putBack(standing, folder.opened))
    if (!isBack && !isSame(user, current)) {
      if (user === null) {
        yield* unchanged(standing, folder.opened)
        yield* Effect.mapError(disk.remove(folder.opened.at(folder.name)), refuse(place.file, "removed"))
      } else yield* write(standing, folder.opened, user, journal.temporary, ownerOf(standing))
    }
    if (journal.madeDirectory) {
      yield* folder.check
      yield* Effect.mapError(disk.removeEmpty(folder.self), refuse(place.file, "removed"))
    }
  }
  yield* store.clear
})

/** A second name of the user's own file, by which its inode, owner and times come back. */
const keep = Effect.fnUntraced(function* ({ store, folder, stat }: Standing) {
  if (store.kept === undefined || folder.opened === undefined) return
  const { kept } = store
  const disk = yield* SettingsDisk
  yield* Effect.ignore(disk.remove(kept))
  yield* Effect.gen(function* () {
    yield* disk.link(folder.opened?.at(folder.name) ?? "", kept)
    const linked = yield* disk.look(kept)
    // Another file or a link was put in its place.
    if (linked?.kind !== "file" || linked.identity !== stat?.identity) yield* disk.remove(kept)
  }).pipe(Effect.ignore)
})

const makeFolder = Effect.fnUntraced(function* ({ place, store, folder }: Standing, journal: Journal) {
  const disk = yield* SettingsDisk
  const made = yield* Effect.mapError(disk.makeDirectory(folder.self, 0o777), refuse(place.file, "made"))
  if (made === "there") yield* store.write({ ...journal, madeDirectory: false })
  // It is looked at anew, and opened.
  return yield* new Overtaken()
})

/** First the journal, then the file. */
export const put = Effect.fnUntraced(function* (
  standing: Standing,
  claims: ReadonlyArray<Claim>,
  goal: Snapshot | null
) {
  const { place, store, folder, journal, current, user } = standing
  const disk = yield* SettingsDisk
  const isRebased = !isSame(user, journal?.original ?? null)
  if (journal !== undefined && isRebased && store.kept !== undefined) {
    yield* Effect.mapError(disk.remove(store.kept), refuse(store.kept, "removed"))
  }
  const madeDirectory = journal?.madeDirectory === true || folder.opened === undefined
  // What goes out now is in the file until it is written, and what went out before unless it was written since.
  const before = current === null ? null : fingerprint(current)
  const last = journal?.written.at(-1) ?? null
  const owner = ownerOf(standing)
  const isClean = journal === undefined || (before?.sha256 === last?.sha256 && before?.mode === last?.mode)
  const left = [...(isClean ? [] : journal.left), ...departed(journal, claims)]
  const next: Journal = {
    version: 2,
    directory: place.directory,
    born: place.born,
    path: place.path,
    original: user,
    ...(owner === undefined || owner.uid === process.geteuid?.() ? {} : { owner: { uid: owner.uid, gid: owner.gid } }),
    madeDirectory,
    temporary: journal?.temporary ?? `.reins-${crypto.randomUUID()}`,
    written: [before, goal === null ? null : fingerprint(goal)],
    claims,
    left
  }
  yield* store.write(next)
  if (folder.opened === undefined) return yield* makeFolder(standing, next)
  if (journal === undefined && current !== null) yield* keep(standing)
  if (goal !== null && !isSame(goal, current)) {
    yield* write(standing, folder.opened, goal, next.temporary, hasSecret(claims) ? undefined : owner)
  }
})

/** What cannot be read stands as it is; what was put there is taken out when it can be read again. */
export const wait = Effect.fnUntraced(function* (standing: Standing, claims: ReadonlyArray<Claim>) {
  const { store, journal, current } = standing
  if (journal === undefined) return
  const over = departed(journal, claims)
  const left = [...journal.left, ...over]
  if (claims.length === 0 && !mentions(current, left)) return yield* settle({ ...standing, user: current })
  if (over.length > 0) yield* store.write({ ...journal, claims, left })
})
