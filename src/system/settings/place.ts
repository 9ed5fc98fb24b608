/**
 * Locates a settings file and opens its directories. Below the trusted working directory no link out of a directory is
 * followed. On Linux every step goes through the open directory (`/proc/self/fd/N/name`); elsewhere directories are
 * checked before and after, and one that is replaced in between can misdirect the step.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Effect } from "effect"
import { SettingsUnreadable } from "../../contract/AgentError.ts"
import { untraced } from "../../contract/untraced.ts"
import { type OpenDirectory, SettingsDisk } from "./disk.ts"
import type { DiskRefused } from "./wholeFile.ts"

export interface Place {
  /** The file's path, for people. */
  readonly file: string
  /** The working directory, with links resolved. */
  readonly directory: string
  readonly path: ReadonlyArray<string>
  /** Identifies the working directory on this machine, independent of path and mount. */
  readonly identity: string
  /** Creation time: tells the directory from a later one with the same identity. */
  readonly born: string
  /** Name of the journal's directory. */
  readonly key: string
}

export const refuse = (file: string, action: string) => (error: DiskRefused) =>
  new SettingsUnreadable({ file, problem: `cannot be ${action}: ${error.problem}` })

/** Without `..` and separators. */
const isPlainName = (name: string) => name !== "" && name !== "." && name !== ".." && !/[\\/\0]/.test(name)

export const findPlace = Effect.fn(...untraced("Place.findPlace"))(function* (
  workingDirectory: string,
  path: ReadonlyArray<string>
) {
  const disk = yield* SettingsDisk
  const named = join(workingDirectory, ...path)
  const directory = yield* Effect.mapError(disk.realPath(workingDirectory), refuse(named, "found"))
  const stat = yield* Effect.mapError(disk.stat(directory), refuse(named, "found"))
  if (stat?.kind !== "directory" || !path.every(isPlainName) || path.length < 2) {
    return yield* new SettingsUnreadable({ file: named, problem: "is not in a directory" })
  }
  const names = createHash("sha256").update(path.join("/")).digest("hex").slice(0, 16)
  const place: Place = {
    file: join(directory, ...path),
    directory,
    path,
    identity: stat.identity,
    born: stat.born,
    key: `${stat.identity}-${names}`
  }
  return place
})

/** The directory of the file. */
export interface Folder {
  /** Path of the folder, which may not exist yet. */
  readonly self: string
  /** Undefined where it does not exist. */
  readonly opened: OpenDirectory | undefined
  /** The file's name in the folder, after links within the folder were followed. */
  readonly name: string
  /** Fails when one of the directories was replaced; does nothing on Linux, where that does not matter. */
  readonly check: Effect.Effect<void, SettingsUnreadable>
}

const moved = (file: string) =>
  new SettingsUnreadable({ file, problem: "is in a directory that was replaced during the change: try again" })

const maxLinks = 16

/** Follows links to other names in the folder, and refuses links out of it. */
const followName = (
  place: Place,
  folder: OpenDirectory,
  name: string,
  links = 0
): Effect.Effect<string, SettingsUnreadable> =>
  Effect.gen(function* () {
    const disk = yield* SettingsDisk
    const refused = refuse(place.file, "read")
    const stat = yield* Effect.mapError(disk.stat(folder.at(name)), refused)
    if (stat?.kind !== "link") return name
    const target = yield* Effect.mapError(disk.readLink(folder.at(name)), refused)
    const own = join(place.directory, ...place.path.slice(0, -1), "/")
    const plain = target.startsWith(own) ? target.slice(own.length) : target
    if (isPlainName(plain) && links < maxLinks) return yield* followName(place, folder, plain, links + 1)
    const problem = "is a link that leaves its directory and is not followed: put the file itself there"
    return yield* new SettingsUnreadable({ file: place.file, problem })
  })

/** Opens the directories one by one, from the working directory on. */
export const openFolder = Effect.fn(...untraced("Place.openFolder"))(function* (place: Place) {
  const disk = yield* SettingsDisk
  const refused = refuse(place.file, "found")
  const root = yield* Effect.mapError(disk.openDirectory(place.directory), refused)
  if (root === undefined || root.stat.identity !== place.identity) return yield* moved(place.file)
  const passed = [{ path: place.directory, directory: root }]
  const names = place.path.slice(0, -1)
  let parent: OpenDirectory = root
  let opened: OpenDirectory | undefined
  let self = place.directory
  for (const [index, name] of names.entries()) {
    self = parent.at(name)
    const unusable = (why: string) =>
      new SettingsUnreadable({ file: place.file, problem: `is in ${JSON.stringify(name)}, which ${why}` })
    const remedy = "only directories inside the working directory are used: make it a directory"
    opened = yield* Effect.mapError(disk.openDirectory(self), ({ problem }) => unusable(`${problem}; ${remedy}`))
    if (opened === undefined) {
      if (index === names.length - 1) break
      return yield* unusable("does not exist")
    }
    passed.push({ path: join(place.directory, ...names.slice(0, index + 1)), directory: opened })
    parent = opened
  }
  const check = Effect.gen(function* () {
    for (const { path, directory } of passed) {
      if (directory.isPinned) continue
      const stat = yield* Effect.mapError(disk.stat(path), refused)
      if (stat?.identity !== directory.stat.identity) return yield* moved(place.file)
    }
  })
  const last = place.path.at(-1) ?? ""
  const name = opened === undefined ? last : yield* followName(place, opened, last)
  const folder: Folder = { self, opened, name, check }
  return folder
})
