/** Rewrites a settings file, restores it, or postpones that. The journal is written before the file. */
import { Effect, Schema } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { type OpenDirectory, SettingsDisk } from "./disk.ts"
import { type Claim, fingerprint, isSame, type Journal, mentions, type Owner, type Snapshot } from "./journal.ts"
import { type Folder, type Place, refuse } from "./place.ts"
import type { Store } from "./store.ts"
import type { Stat } from "./wholeFile.ts"

/** The file was changed by another program after it was read. */
class ChangedMeanwhile extends Schema.TaggedError<ChangedMeanwhile>()("ChangedMeanwhile", {}) {}

/** All that was read before the file is rewritten. */
export interface FileState {
  readonly place: Place
  readonly store: Store
  readonly folder: Folder
  readonly journal: Journal | undefined
  readonly current: Snapshot | null
  /** Stat of `current`. */
  readonly stat: Stat | undefined
  /** The user's file without members of runs. */
  readonly user: Snapshot | null
}

const claimsWithout = (journal: Journal | undefined, claims: ReadonlyArray<Claim>) =>
  (journal?.claims ?? []).filter(({ id }) => !claims.some((claim) => claim.id === id))

/** Run immediately before the file is replaced or removed, so that an edit since it was read is not lost. */
const failIfChanged = Effect.fn(...untraced("Rewrite.failIfChanged"))(function* (
  { place, folder, stat }: FileState,
  directory: OpenDirectory
) {
  const disk = yield* SettingsDisk
  yield* folder.check
  const now = yield* Effect.mapError(disk.stat(directory.at(folder.name)), refuse(place.file, "read"))
  if (now?.revision !== stat?.revision) return yield* new ChangedMeanwhile()
})

/** Owner of the user's file. While secrets are in it, the writer owns it, and only the journal has the user's. */
const ownerOf = ({ journal, stat }: FileState): Owner | undefined =>
  journal?.owner !== undefined && stat?.uid === process.geteuid?.() ? journal.owner : stat

const hasSecret = (claims: ReadonlyArray<Claim>) => claims.some(({ secret }) => secret)

/** Readers see the old or the new file, never a part of it. Without an owner, the file belongs to the writer. */
const write = Effect.fn(...untraced("Rewrite.write"))(function* (
  state: FileState,
  directory: OpenDirectory,
  file: Snapshot,
  name: string,
  owner: Owner | undefined
) {
  const { place, folder } = state
  const disk = yield* SettingsDisk
  const [temporary, target] = [directory.at(name), directory.at(folder.name)]
  const replace = Effect.gen(function* () {
    yield* folder.check
    const refused = refuse(place.file, "written")
    yield* Effect.mapError(disk.create(temporary, file.bytes, { mode: file.mode, owner }), refused)
    yield* failIfChanged(state, directory)
    yield* Effect.mapError(disk.rename(temporary, target), refused)
    yield* folder.check
  })
  yield* Effect.tapError(replace, () => Effect.ignore(disk.remove(temporary)))
})

/** Renames the kept file of the user, with its inode and times, back to its name; returns false if it is missing. */
const restoreKept = Effect.fn(...untraced("Rewrite.restoreKept"))(function* (
  state: FileState,
  directory: OpenDirectory
) {
  const { store, folder } = state
  const disk = yield* SettingsDisk
  if (store.kept === undefined) return false
  const original = yield* Effect.orElseSucceed(disk.stat(store.kept), () => undefined)
  if (original?.kind !== "file") return false
  yield* failIfChanged(state, directory)
  return yield* disk.rename(store.kept, directory.at(folder.name)).pipe(
    Effect.as(true),
    // For example across file systems.
    Effect.orElseSucceed(() => false)
  )
})

/** Restores the user's file, and removes the journal last. */
export const restore = Effect.fn(...untraced("Rewrite.restore"))(function* (state: FileState) {
  const { place, store, folder, journal, current, user } = state
  if (journal === undefined) return
  const disk = yield* SettingsDisk
  if (folder.opened !== undefined) {
    const isBack = user !== null && isSame(user, journal.original) && (yield* restoreKept(state, folder.opened))
    if (!isBack && !isSame(user, current)) {
      if (user === null) {
        yield* failIfChanged(state, folder.opened)
        yield* Effect.mapError(disk.remove(folder.opened.at(folder.name)), refuse(place.file, "removed"))
      } else yield* write(state, folder.opened, user, journal.temporary, ownerOf(state))
    }
    if (journal.madeDirectory) {
      yield* folder.check
      yield* Effect.mapError(disk.removeEmpty(folder.self), refuse(place.file, "removed"))
    }
  }
  yield* store.clear
})

/** Links the user's own file to a second name, so that its inode, owner and times can be restored. */
const keep = Effect.fn(...untraced("Rewrite.keep"))(function* ({ store, folder, stat }: FileState) {
  if (store.kept === undefined || folder.opened === undefined) return
  const { kept: original } = store
  const disk = yield* SettingsDisk
  yield* Effect.ignore(disk.remove(original))
  yield* Effect.gen(function* () {
    yield* disk.link(folder.opened?.at(folder.name) ?? "", original)
    const linked = yield* disk.stat(original)
    // Another file or a link was put in its place meanwhile.
    if (linked?.kind !== "file" || linked.identity !== stat?.identity) yield* disk.remove(original)
  }).pipe(Effect.ignore)
})

const makeFolder = Effect.fn(...untraced("Rewrite.makeFolder"))(function* (
  { place, store, folder }: FileState,
  journal: Journal
) {
  const disk = yield* SettingsDisk
  const made = yield* Effect.mapError(disk.makeDirectory(folder.self, 0o777), refuse(place.file, "made"))
  if (made === "there") yield* store.write({ ...journal, madeDirectory: false })
  // Starts again with the new directory.
  return yield* new ChangedMeanwhile()
})

/** Puts the members of the claims into the file: first the journal is written, then the file. */
export const put = Effect.fn(...untraced("Rewrite.put"))(function* (
  state: FileState,
  claims: ReadonlyArray<Claim>,
  goal: Snapshot | null
) {
  const { place, store, folder, journal, current, user } = state
  const disk = yield* SettingsDisk
  const isRebased = !isSame(user, journal?.original ?? null)
  if (journal !== undefined && isRebased && store.kept !== undefined) {
    yield* Effect.mapError(disk.remove(store.kept), refuse(store.kept, "removed"))
  }
  const madeDirectory = journal?.madeDirectory === true || folder.opened === undefined
  // Members of released claims may be in the file until it is written.
  const before = current === null ? null : fingerprint(current)
  const last = journal?.written.at(-1) ?? null
  const owner = ownerOf(state)
  const isClean = journal === undefined || (before?.sha256 === last?.sha256 && before?.mode === last?.mode)
  const left = [...(isClean ? [] : journal.left), ...claimsWithout(journal, claims)]
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
  if (folder.opened === undefined) return yield* makeFolder(state, next)
  if (journal === undefined && current !== null) yield* keep(state)
  if (goal !== null && !isSame(goal, current)) {
    yield* write(state, folder.opened, goal, next.temporary, hasSecret(claims) ? undefined : owner)
  }
})

/** Leaves a file that is not JSON as it is; the members in it are taken out by a later change, once it is. */
export const postpone = Effect.fn(...untraced("Rewrite.postpone"))(function* (
  state: FileState,
  claims: ReadonlyArray<Claim>
) {
  const { store, journal, current } = state
  if (journal === undefined) return
  const released = claimsWithout(journal, claims)
  const left = [...journal.left, ...released]
  if (claims.length === 0 && !mentions(current, left)) return yield* restore({ ...state, user: current })
  if (released.length > 0) yield* store.write({ ...journal, claims, left })
})
