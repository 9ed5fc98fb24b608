/**
 * Where a settings file really is, and the names of what stands beside it while it is changed. A link is followed: its
 * target is changed, and two directories that link to one file meet there.
 */
import { Effect, FileSystem, Option, Path, type PlatformError } from "effect"
import { SettingsUnreadable } from "../AgentError.ts"
import { refusalOf } from "../errors/system.ts"
import type { Owner } from "./host.ts"

export interface Place {
  readonly file: string
  readonly directory: string
  /** Of the directory; it exists. */
  readonly parent: string
  readonly journal: string
  /** What everything of ours beside the file begins with, as a name without a directory. */
  readonly prefix: string
  /** What says beside the directory that it is being made or removed; a name without a directory. */
  readonly markPrefix: string
}

/** What a process leaves beside the file when it dies. */
export type Kind = "lock" | "new" | "made"

/** The name says who made it, so that others see whether he still lives. */
export const ownName = (prefix: string, kind: Kind, { pid, start }: Owner, id: string) =>
  `${prefix}${kind}.${pid}.${start}.${id}`

export const ownerOf = (prefix: string, kind: Kind, name: string): Owner | undefined => {
  if (!name.startsWith(`${prefix}${kind}.`)) return undefined
  const [pid, start] = name.slice(prefix.length + kind.length + 1).split(".")
  return pid === undefined || start === undefined ? undefined : { pid: Number(pid), start }
}

export const cannot = (file: string, action: string) => (error: PlatformError.PlatformError) =>
  new SettingsUnreadable({ file, problem: `cannot be ${action}: ${refusalOf(error)}` })

const maxLinks = 16

/** Where a file is, or will be: at most the file and its directory are missing. A link may lead to nothing yet. */
const locate = (
  file: string,
  links = 0
): Effect.Effect<string, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = path.dirname(file)
    const inFolder = Effect.map(fs.realPath(folder), (real) => path.join(real, path.basename(file)))
    const withFolder = Effect.map(fs.realPath(path.dirname(folder)), (real) =>
      path.join(real, path.basename(folder), path.basename(file))
    )
    const missing = Effect.catchReason(inFolder, "PlatformError", "NotFound", () => withFolder)
    const target = yield* fs.readLink(file).pipe(Effect.option)
    return yield* Option.isSome(target) && links < maxLinks
      ? locate(path.resolve(folder, target.value), links + 1)
      : Effect.catchReason(fs.realPath(file), "PlatformError", "NotFound", () => missing)
  })

export const findPlace = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  const path = yield* Path.Path
  const given = path.join(directory, ...names)
  const file = yield* Effect.mapError(locate(given), cannot(given, "found"))
  const prefix = `${path.basename(file)}.reins-`
  const place: Place = {
    file,
    directory: path.dirname(file),
    parent: path.dirname(path.dirname(file)),
    journal: path.join(path.dirname(file), `${prefix}journal`),
    prefix,
    markPrefix: `${path.basename(path.dirname(file))}.reins-`
  }
  return place
})
