/**
 * Stores the journal of a changed settings file in the user's state directory, with the user's own file and the locks
 * of claims. Without a state directory, in memory: a killed host's changes stay, and other processes are not excluded.
 */
import { join } from "node:path"
import { Context, Effect, Option, Result, type Scope } from "effect"
import { SettingsUnreadable } from "../../contract/AgentError.ts"
import { untraced } from "../../contract/untraced.ts"
import { FileLocks, holdLock, isLocked, type LockTaken, removeFreeLock, withLock } from "../locks/fileLocks.ts"
import type { LockRefused } from "../locks/kernelLock.ts"
import { findStateDirectory, openStateDirectory } from "../locks/stateDirectory.ts"
import { type Disk, SettingsDisk } from "./disk.ts"
import { decodeJournal, encodeJournal, type Journal, privateMode } from "./journal.ts"
import { type Place, refuse } from "./place.ts"
import type { DiskRefused } from "./wholeFile.ts"

export interface Store {
  /** Why the journal is in memory only; undefined on disk. */
  readonly warning: string | undefined
  /** Path of the user's state directory; undefined in memory. */
  readonly state: string | undefined
  readonly read: Effect.Effect<Journal | undefined, SettingsUnreadable>
  readonly write: (journal: Journal) => Effect.Effect<void, SettingsUnreadable>
  readonly isEmpty: Effect.Effect<boolean>
  /** Removes the kept file, the journal and the locks of dead claims. */
  readonly clear: Effect.Effect<void, SettingsUnreadable>
  /** Path under which the user's own file is kept; undefined in memory. */
  readonly kept: string | undefined
  /** Runs work with the lock of the working directory, uninterruptibly. */
  readonly exclusively: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SettingsUnreadable, R>
  /** Holds the lock of a claim until the scope closes or this process dies. Only within `exclusively`. */
  readonly hold: (claim: string) => Effect.Effect<void, SettingsUnreadable, Scope.Scope>
  /** Whether the claim's process is alive. Only within `exclusively`. */
  readonly isHeld: (claim: string) => Effect.Effect<boolean, SettingsUnreadable>
}

/** In bytes; more than the journal of a file of maximum size needs. */
const journalLimit = 32 * 1024 * 1024
const [locksName, settingsName, journalName] = ["locks", "settings", "journal.json"]
const claimPrefix = "claim-"

const locking = (place: Place) => (error: LockRefused | LockTaken) => {
  const problem =
    error._tag === "LockTaken" ? "stayed locked by another process: try again" : `cannot be changed: ${error.message}`
  return new SettingsUnreadable({ file: place.file, problem })
}

/** Keeps failures of the work apart from those of the lock. */
const exclusively =
  (place: Place, file: string): Store["exclusively"] =>
  (work) =>
    Effect.flatten(Effect.mapError(withLock(file, Effect.exit(work)), locking(place)))

const readJournal = Effect.fn(...untraced("Store.readJournal"))(function* (disk: Disk, file: string) {
  const found = yield* Effect.mapError(disk.read(file, journalLimit), refuse(file, "read"))
  if (found === undefined) return undefined
  return yield* Result.match(decodeJournal(new TextDecoder().decode(found.bytes)), {
    onSuccess: Effect.succeed,
    onFailure: () => {
      const problem = "is a journal of another version of Reins: run that version once more, or remove the journal"
      return Effect.fail(new SettingsUnreadable({ file, problem }))
    }
  })
})

const onDisk = (disk: Disk, state: string, place: Place): Store => {
  const entry = join(state, settingsName, place.key)
  const journal = join(entry, journalName)
  const fresh = join(entry, "journal.new")
  const original = join(entry, "original")
  const claimFile = (claim: string) => join(entry, `${claimPrefix}${claim}`)
  const writing = (file: string) => Effect.mapError<DiskRefused, SettingsUnreadable>(refuse(file, "written"))
  return {
    warning: undefined,
    state,
    read: readJournal(disk, journal),
    write: (next) =>
      Effect.gen(function* () {
        const bytes = new TextEncoder().encode(`${encodeJournal(next)}\n`)
        const create = disk.create(fresh, bytes, { mode: privateMode })
        // A dead writer may have left it.
        yield* Effect.catchIf(
          create,
          ({ code }) => code === "EEXIST",
          () => Effect.andThen(disk.remove(fresh), create)
        )
        yield* disk.rename(fresh, journal)
      }).pipe(writing(journal)),
    isEmpty: Effect.match(disk.stat(journal), { onFailure: () => false, onSuccess: (stat) => stat === undefined }),
    clear: Effect.gen(function* () {
      for (const file of [original, fresh, journal]) yield* disk.remove(file)
      const claims = (yield* disk.list(entry)).filter((name) => name.startsWith(claimPrefix))
      yield* Effect.forEach(claims, (name) => Effect.ignore(removeFreeLock(join(entry, name))))
      yield* disk.removeEmpty(entry)
    }).pipe(Effect.mapError(refuse(journal, "removed"))),
    kept: original,
    exclusively: exclusively(place, join(state, locksName, `directory-${place.identity}`)),
    hold: (claim) =>
      Effect.andThen(
        Effect.mapError(disk.makeDirectory(entry, 0o700), refuse(entry, "made")),
        Effect.mapError(holdLock(claimFile(claim)), locking(place))
      ),
    isHeld: (claim) =>
      Effect.gen(function* () {
        const stat = yield* Effect.mapError(disk.stat(claimFile(claim)), refuse(claimFile(claim), "read"))
        return stat !== undefined && (yield* Effect.mapError(isLocked(claimFile(claim)), locking(place)))
      })
  }
}

/** Journals and locks of this process alone. */
const Memory = Context.Reference<{ readonly journals: Map<string, Journal>; readonly locks: FileLocks }>(
  "reins/SettingsMemory",
  {
    defaultValue: () => ({
      journals: new Map(),
      locks: { tryLock: () => Effect.succeed(true), missing: Effect.succeed(undefined), gates: new Map() }
    })
  }
)

const inMemory = ({ journals, locks }: (typeof Memory)["Service"], place: Place, warning: string): Store => ({
  warning,
  state: undefined,
  read: Effect.sync(() => journals.get(place.key)),
  write: (journal) => Effect.sync(() => void journals.set(place.key, journal)),
  isEmpty: Effect.sync(() => !journals.has(place.key)),
  clear: Effect.sync(() => void journals.delete(place.key)),
  kept: undefined,
  exclusively: (work) => Effect.provideService(exclusively(place, place.identity)(work), FileLocks, locks),
  hold: () => Effect.void,
  isHeld: () => Effect.succeed(true)
})

const consequence =
  "settings files that a killed host leaves changed are not restored, and other processes are not excluded"

/** Opens the store of a settings file for a change. */
export const openStore = Effect.fn(...untraced("Store.openStore"))(function* (place: Place) {
  const disk = yield* SettingsDisk
  const { missing } = yield* FileLocks
  const memory = yield* Memory
  const opened = openStateDirectory(locksName, settingsName).pipe(
    Effect.map((state) => onDisk(disk, state, place)),
    Effect.catchTag("StateUnusable", ({ problem }) =>
      Effect.succeed(inMemory(memory, place, `${problem}; until then ${consequence}`))
    )
  )
  const problem = yield* missing
  return problem === undefined ? yield* opened : inMemory(memory, place, `${problem}: ${consequence}`)
})

/** The journals of all settings files that are changed now, or were left changed. Unreadable ones are skipped. */
export const journalsLeft = Effect.gen(function* () {
  const disk = yield* SettingsDisk
  const folder = join(yield* findStateDirectory, settingsName)
  const entries = yield* disk.list(folder)
  const read = (name: string) =>
    Effect.orElseSucceed(readJournal(disk, join(folder, name, journalName)), () => undefined)
  return (yield* Effect.forEach(entries, read)).filter((journal) => journal !== undefined)
})

/** Whether there is a journal; creates nothing. */
export const hasJournal = Effect.fn(...untraced("Store.hasJournal"))(function* (place: Place) {
  const { journals } = yield* Memory
  if (journals.has(place.key)) return true
  const disk = yield* SettingsDisk
  const state = yield* Effect.option(findStateDirectory)
  if (Option.isNone(state)) return false
  const entry = join(state.value, settingsName, place.key)
  return (yield* Effect.mapError(disk.stat(entry), refuse(entry, "read"))) !== undefined
})
