/**
 * Which settings file is meant, and the way to it: the working directory is where the caller says, but below it no link
 * leads anywhere else. What stands there is data of strangers; the journal is in the user's own state directory.
 *
 * On Linux every step goes through the opened directory (`/proc/self/fd/N/name`). Elsewhere Node has no such way: the
 * directories are looked at before and after, and whoever can replace one in between can lead a step astray.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Effect } from "effect"
import { SettingsUnreadable } from "../contract/AgentError.ts"
import { type OpenDirectory, SettingsDisk } from "./disk.ts"
import type { DiskRefused } from "./wholeFile.ts"

export interface Place {
  /** As people know it. */
  readonly file: string
  /** The working directory, without links. */
  readonly directory: string
  readonly path: ReadonlyArray<string>
  /** Names the working directory on this machine, by whatever path or mount it is reached. */
  readonly identity: string
  /** A directory of the same identity that was made at another time is another one. */
  readonly born: string
  /** Of the journal, among all; a plain name. */
  readonly key: string
}

export const refuse = (file: string, action: string) => (error: DiskRefused) =>
  new SettingsUnreadable({ file, problem: `cannot be ${action}: ${error.problem}` })

/** No way up or along. */
const isPlainName = (name: string) => name !== "" && name !== "." && name !== ".." && !/[\\/\0]/.test(name)

export const findPlace = Effect.fnUntraced(function* (given: string, path: ReadonlyArray<string>) {
  const disk = yield* SettingsDisk
  const named = join(given, ...path)
  const directory = yield* Effect.mapError(disk.realPath(given), refuse(named, "found"))
  const stat = yield* Effect.mapError(disk.look(directory), refuse(named, "found"))
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

/** The directory of the file, opened. */
export interface Folder {
  /** Where the folder itself is, or will be made. */
  readonly self: string
  /** Undefined where there is none. */
  readonly opened: OpenDirectory | undefined
  /** The file's name in the folder: a link that stays in the folder was followed. */
  readonly name: string
  /** Fails when one of the directories was replaced, where that can make a difference. */
  readonly check: Effect.Effect<void, SettingsUnreadable>
}

const moved = (file: string) =>
  new SettingsUnreadable({ file, problem: "is in a directory that was replaced meanwhile: start again" })

const maxLinks = 16

/** A link to another name in the folder is followed; what leads elsewhere is refused. */
const followName = (
  place: Place,
  folder: OpenDirectory,
  name: string,
  links = 0
): Effect.Effect<string, SettingsUnreadable> =>
  Effect.gen(function* () {
    const disk = yield* SettingsDisk
    const refused = refuse(place.file, "read")
    const stat = yield* Effect.mapError(disk.look(folder.at(name)), refused)
    if (stat?.kind !== "link") return name
    const target = yield* Effect.mapError(disk.readLink(folder.at(name)), refused)
    const own = join(place.directory, ...place.path.slice(0, -1), "/")
    const plain = target.startsWith(own) ? target.slice(own.length) : target
    if (isPlainName(plain) && links < maxLinks) return yield* followName(place, folder, plain, links + 1)
    const problem = "is a link that leaves its directory, and nothing outside is changed: put the file itself there"
    return yield* new SettingsUnreadable({ file: place.file, problem })
  })

/** Opens the directories one after the other, from the working directory on. */
export const openFolder = Effect.fnUntraced(function* (place: Place) {
  const disk = yield* SettingsDisk
  const refused = refuse(place.file, "found")
  const root = yield* Effect.mapError(disk.openDirectory(place.directory), refused)
  if (root === undefined || root.stat.identity !== place.identity) return yield* moved(place.file)
  const way: Array<{ readonly path: string; readonly identity: string }> = [
    { path: place.directory, identity: root.stat.identity }
  ]
  const names = place.path.slice(0, -1)
  let parent: OpenDirectory = root
  let opened: OpenDirectory | undefined
  let self = place.directory
  for (const [index, name] of names.entries()) {
    self = parent.at(name)
    opened = yield* disk.openDirectory(self).pipe(
      Effect.mapError(({ problem }) => {
        const cure = "nothing outside of the working directory is changed: make it a directory of its own"
        return new SettingsUnreadable({
          file: place.file,
          problem: `is in ${JSON.stringify(name)}, which ${problem}; ${cure}`
        })
      })
    )
    if (opened === undefined) {
      if (index === names.length - 1) break
      return yield* new SettingsUnreadable({
        file: place.file,
        problem: `is in ${JSON.stringify(name)}, which is not there`
      })
    }
    way.push({ path: join(place.directory, ...names.slice(0, index + 1)), identity: opened.stat.identity })
    parent = opened
  }
  const check = Effect.gen(function* () {
    if (process.platform === "linux") return
    for (const { path, identity } of way) {
      const stat = yield* Effect.mapError(disk.look(path), refused)
      if (stat?.identity !== identity) return yield* moved(place.file)
    }
  })
  const last = place.path.at(-1) ?? ""
  const name = opened === undefined ? last : yield* followName(place, opened, last)
  const folder: Folder = { self, opened, name, check }
  return folder
})
