/**
 * One at a time beside a settings file, among all fibers and processes. Each contender makes a file of its own and then
 * looks: it is in when it sees no other whose owner lives. The file of a living owner is removed by nobody else, so
 * that nothing is decided twice, also when a dead one is cleared away. (Node has no lock that the kernel takes back.)
 */
import { Effect, FileSystem, Path, Schedule, Schema, Semaphore } from "effect"
import { SettingsUnreadable } from "../AgentError.ts"
import { type Host, HostProcess } from "./host.ts"
import { cannot, ownerOf, ownName, type Place } from "./place.ts"

/** The directory of the file is not there (any more). */
export class DirectoryGone extends Schema.TaggedError<DirectoryGone>()("DirectoryGone", {}) {}

class Taken extends Schema.TaggedError<Taken>()("Taken", {}) {}

const patience = Schedule.exponential("10 millis", 1.3).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "10 seconds" })
)

const gateOf = ({ gates }: Host, file: string) => {
  const gate = gates.get(file) ?? Semaphore.makeUnsafe(1)
  gates.set(file, gate)
  return gate
}

/** Waits for the others, then does the work without being interrupted. */
export const locked = Effect.fnUntraced(function* <A, E, R>(place: Place, work: Effect.Effect<A, E, R>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const host = yield* HostProcess
  const name = ownName(place.prefix, "lock", host.self, crypto.randomUUID())
  const own = path.join(place.directory, name)
  const leave = Effect.ignore(fs.remove(own, { force: true }))

  const look = Effect.gen(function* () {
    const names = yield* fs.readDirectory(place.directory)
    if (!names.includes(name)) return yield* new Taken()
    for (const other of names) {
      const owner = ownerOf(place.prefix, "lock", other) ?? ownerOf(place.prefix, "new", other)
      if (owner === undefined || other === name) continue
      if (!host.isAlive(owner)) yield* fs.remove(path.join(place.directory, other), { force: true })
      else if (ownerOf(place.prefix, "lock", other) !== undefined) return yield* new Taken()
    }
  })
  const enter = fs.writeFile(own, new Uint8Array(), { flag: "wx", mode: 0o600 }).pipe(
    Effect.andThen(look),
    Effect.tapError(() => leave),
    Effect.catchReason("PlatformError", "NotFound", () => Effect.fail(new DirectoryGone())),
    Effect.catchTag("PlatformError", (error) => Effect.fail(cannot(place.file, "changed")(error))),
    Effect.retry({ schedule: patience, while: (error) => error._tag === "Taken" }),
    Effect.catchTag("Taken", () =>
      Effect.fail(new SettingsUnreadable({ file: place.file, problem: "is locked by another process for too long" }))
    )
  )
  return yield* gateOf(host, place.file).withPermit(
    Effect.uninterruptibleMask((restore) => Effect.ensuring(Effect.andThen(restore(enter), work), leave))
  )
})
