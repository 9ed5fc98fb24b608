/**
 * Finds the journals that versions up to 0.1 kept beside a settings file, or files of others that look like them. They are
 * only reported to the user: neither read nor followed nor removed.
 */
import { join } from "node:path"
import { Effect } from "effect"
import { SettingsDisk } from "./disk.ts"
import { findPlace } from "./place.ts"

const maxReported = 20

/** Their paths, at most twenty. */
export const findOldJournals = Effect.fnUntraced(function* (directory: string, path: ReadonlyArray<string>) {
  const place = yield* findPlace(directory, path)
  const disk = yield* SettingsDisk
  const folders = path.slice(0, -1)
  const namesIn = Effect.fnUntraced(function* (folder: string, name: string) {
    const opened = yield* Effect.orElseSucceed(disk.openDirectory(folder), () => undefined)
    if (opened === undefined) return []
    const names = yield* Effect.orElseSucceed(disk.list(opened.at(".")), () => [])
    return names.filter((each) => each.startsWith(`${name}.reins-`)).map((each) => join(folder, each))
  }, Effect.scoped)
  const above = join(place.directory, ...folders.slice(0, -1))
  const found = [
    ...(yield* namesIn(above, folders.at(-1) ?? "")),
    ...(yield* namesIn(join(place.directory, ...folders), path.at(-1) ?? ""))
  ]
  return found.sort().slice(0, maxReported)
})
