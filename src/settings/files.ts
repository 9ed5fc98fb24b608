/** Reads and writes whole files: a reader sees the old or the new one and never a part. */
import { Effect, FileSystem, type PlatformError, Result } from "effect"
import { SettingsUnreadable } from "../AgentError.ts"
import { decodeJournal, encodeJournal, type Journal, privateMode, type Snapshot } from "./journal.ts"
import { cannot, type Place } from "./place.ts"

export const orNull = <A, R>(self: Effect.Effect<A, PlatformError.PlatformError, R>) =>
  Effect.catchReason(self, "PlatformError", "NotFound", () => Effect.succeed(null))

const permissionBits = 0o7777

export const readSnapshot = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs.stat(file).pipe(orNull, Effect.mapError(cannot(file, "read")))
  if (info === null) return null
  if (info.type !== "File") return yield* new SettingsUnreadable({ file, problem: "is not a file" })
  const bytes = yield* fs.readFile(file).pipe(orNull, Effect.mapError(cannot(file, "read")))
  if (bytes === null) return null
  const snapshot: Snapshot = { bytes: new Uint8Array(bytes), mode: info.mode & permissionBits }
  return snapshot
})

/** The owner stays who he was, as far as this process may decide it. */
const keepOwner = Effect.fnUntraced(
  function* (from: string, to: string) {
    const fs = yield* FileSystem.FileSystem
    const { uid, gid } = yield* fs.stat(from)
    if (uid._tag === "Some" && gid._tag === "Some") yield* fs.chown(to, uid.value, gid.value)
  },
  (effect) => Effect.ignore(effect)
)

/** By way of `temporary`, a name beside the file that nobody else uses. */
export const writeSnapshot = Effect.fnUntraced(function* (file: string, snapshot: Snapshot, temporary: string) {
  const fs = yield* FileSystem.FileSystem
  const target = yield* Effect.orElseSucceed(fs.realPath(file), () => file)
  yield* Effect.gen(function* () {
    yield* fs.writeFile(temporary, snapshot.bytes, { flag: "wx", mode: privateMode })
    yield* keepOwner(target, temporary)
    yield* fs.chmod(temporary, snapshot.mode)
    yield* fs.rename(temporary, target)
  }).pipe(
    Effect.tapError(() => Effect.ignore(fs.remove(temporary, { force: true }))),
    Effect.mapError(cannot(file, "written"))
  )
})

export const readJournal = Effect.fnUntraced(function* (place: Place) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs.readFileString(place.journal).pipe(orNull, Effect.mapError(cannot(place.journal, "read")))
  if (text === null) return undefined
  return yield* Result.match(decodeJournal(text), {
    onSuccess: Effect.succeed,
    onFailure: () => new SettingsUnreadable({ file: place.journal, problem: "is not a journal of this version" })
  })
})

export const writeJournal = (place: Place, journal: Journal, temporary: string) =>
  writeSnapshot(
    place.journal,
    { bytes: new TextEncoder().encode(`${encodeJournal(journal)}\n`), mode: privateMode },
    temporary
  )

export const removeFile = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.mapError(fs.remove(file, { force: true }), cannot(file, "removed"))
})

/** The names in a directory; none when it cannot be read. */
export const namesIn = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.orElseSucceed(fs.readDirectory(directory), (): Array<string> => [])
})
