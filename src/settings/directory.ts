/**
 * The directory of a settings file is made where it is missing and goes again, but only while it is empty. A mark beside
 * it says that it is being made or removed, for the case that this process dies in between; the journal says it else.
 */
import { rmdir } from "node:fs/promises"
import { Effect, FileSystem, Path, Predicate } from "effect"
import { namesIn, readJournal, removeFile, writeJournal } from "./files.ts"
import { HostProcess } from "./host.ts"
import { locked } from "./lock.ts"
import { cannot, ownerOf, ownName, type Place } from "./place.ts"

export interface MadeDirectory {
  /** It was made here or by a process that died, and no journal says so: whoever knows it must remove it. */
  isOwed: boolean
  /** To be called before the journal goes that says it. */
  readonly mark: Effect.Effect<void, ReturnType<ReturnType<typeof cannot>>>
}

/** The marks of processes that died while they made or removed the directory. */
export const deadMarks = Effect.fnUntraced(function* (place: Place) {
  const path = yield* Path.Path
  const host = yield* HostProcess
  const names = yield* namesIn(place.parent)
  const dead = names.filter((name) => {
    const owner = ownerOf(place.markPrefix, "made", name)
    return owner !== undefined && !host.isAlive(owner)
  })
  return dead.map((name) => path.join(place.parent, name))
})

/** `FileSystem` removes files and trees. This removes nothing that anybody has put something into, and says so. */
const removeEmpty = (directory: string) =>
  Effect.tryPromise(() => rmdir(directory)).pipe(
    Effect.as("gone" as const),
    Effect.catch(({ cause }) => Effect.succeed(isInUse(cause) ? ("in use" as const) : ("gone" as const)))
  )
const isInUse = (cause: unknown) =>
  Predicate.hasProperty(cause, "code") && (cause.code === "ENOTEMPTY" || cause.code === "EEXIST")

/** Each time another run was just coming in or going. */
const attempts = 100

/** Does the work in the directory, and afterwards owes nobody one. */
export const inDirectory = Effect.fnUntraced(function* <A, E, R>(
  place: Place,
  work: (directory: MadeDirectory) => Effect.Effect<A, E, R>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const host = yield* HostProcess
  const ownMark = path.join(place.parent, ownName(place.markPrefix, "made", host.self, crypto.randomUUID()))
  const temporary = path.join(place.directory, ownName(place.prefix, "new", host.self, crypto.randomUUID()))
  const marks = yield* deadMarks(place)
  const directory: MadeDirectory = {
    isOwed: marks.length > 0,
    mark: Effect.suspend(() => {
      if (marks.includes(ownMark)) return Effect.void
      marks.push(ownMark)
      return fs
        .writeFile(ownMark, new Uint8Array(), { flag: "wx", mode: 0o600 })
        .pipe(Effect.mapError(cannot(place.directory, "made")))
    })
  }

  const make = Effect.gen(function* () {
    if (yield* Effect.orElseSucceed(fs.exists(place.directory), () => true)) return
    yield* directory.mark
    directory.isOwed = yield* fs.makeDirectory(place.directory).pipe(
      Effect.as(true),
      Effect.catchReason("PlatformError", "AlreadyExists", () => Effect.succeed(directory.isOwed)),
      Effect.mapError(cannot(place.directory, "made"))
    )
  })

  /** A run that has come in takes over what is owed; what the user has put in there makes the directory his. */
  const handOver = locked(
    place,
    Effect.gen(function* () {
      const journal = yield* readJournal(place)
      if (journal !== undefined) yield* writeJournal(place, { ...journal, madeDirectory: true }, temporary)
      const names = yield* namesIn(place.directory)
      directory.isOwed = journal === undefined && names.every((name) => name.startsWith(place.prefix))
    })
  ).pipe(Effect.catchTag("DirectoryGone", () => Effect.void))
  const settle = Effect.gen(function* () {
    for (let attempt = 0; directory.isOwed && attempt < attempts; attempt += 1) {
      if ((yield* removeEmpty(place.directory)) === "gone") break
      yield* handOver
    }
    yield* Effect.forEach(marks, removeFile)
  })

  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.andThen(make, restore(work(directory))))
      yield* Effect.ignore(settle)
      return yield* exit
    })
  )
})
