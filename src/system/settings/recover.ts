/** Restores settings files that runs of dead processes have left changed; used by `reins doctor`. */
import { join } from "node:path"
import { Effect } from "effect"
import type { SettingsReport } from "../../contract/DoctorReport.ts"
import { untraced } from "../../contract/untraced.ts"
import { changeClaims, readOwn } from "./change.ts"
import { SettingsDisk } from "./disk.ts"
import { findPlace, type Place } from "./place.ts"
import { hasJournal, openStore, type Store } from "./store.ts"

// Journals of versions up to 0.1, or similar files of others: neither read nor followed nor removed, only reported.

const maxReported = 20

/** Their paths, at most twenty. */
export const findOldJournals = Effect.fn(...untraced("Recover.findOldJournals"))(function* (
  directory: string,
  path: ReadonlyArray<string>
) {
  const place = yield* findPlace(directory, path)
  const disk = yield* SettingsDisk
  const folders = path.slice(0, -1)
  const namesIn = Effect.fn(...untraced("Recover.namesIn"))(function* (folder: string, name: string) {
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

const survey = (place: Place, store: Store) =>
  store.exclusively(
    Effect.gen(function* () {
      const journal = yield* readOwn(place, store)
      if (journal === undefined) yield* store.clear
      const claims = journal?.claims ?? []
      const living = yield* Effect.filter(claims, ({ id }) => store.isHeld(id))
      return { isThere: journal !== undefined, claims: claims.length, activeRuns: living.length }
    })
  )

/** Changes nothing where there is nothing to restore. */
export const recoverSettings = Effect.fn(...untraced("Recover.recoverSettings"))(function* (
  directory: string,
  path: ReadonlyArray<string>
) {
  const place = yield* findPlace(directory, path)
  const nothing: SettingsReport = { file: place.file, isRestored: false, activeRuns: 0, isPending: false }
  if (!(yield* hasJournal(place))) return nothing
  const store = yield* openStore(place)
  const { isThere, claims, activeRuns } = yield* survey(place, store)
  const isLeft = isThere && (claims > activeRuns || activeRuns === 0)
  if (isLeft) yield* changeClaims(place, store, Effect.succeed)
  const isPending = activeRuns === 0 && (yield* store.read) !== undefined
  const recovery: SettingsReport = { file: place.file, isRestored: isLeft && !isPending, activeRuns, isPending }
  return recovery
})
