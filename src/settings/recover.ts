/** Gives back what runs have left changed whose process is gone; `reins doctor` asks for it. */
import { Effect } from "effect"
import { changeClaims } from "./change.ts"
import { deadMarks } from "./directory.ts"
import { namesIn, readJournal } from "./files.ts"
import { HostProcess } from "./host.ts"
import { findPlace, ownerOf } from "./place.ts"

export interface Recovery {
  readonly file: string
  /** A run had died and left the file, its directory or something beside it; now it is as it was. */
  readonly isRestored: boolean
  /** Runs that go on and need the file as it is. */
  readonly activeRuns: number
  /** The file is no JSON at the moment; what a run has left in it can be taken out when it is again. */
  readonly isPending: boolean
}

/** Changes nothing where nothing was left. */
export const recoverSettings = Effect.fnUntraced(function* (directory: string, path: ReadonlyArray<string>) {
  const host = yield* HostProcess
  const place = yield* findPlace(directory, path)
  const journal = yield* readJournal(place)
  const claims = journal?.claims ?? []
  const activeRuns = claims.filter(host.isAlive).length
  const marks = yield* deadMarks(place)
  const names = yield* namesIn(place.directory)
  const leftovers = names.filter((name) => {
    const owner = ownerOf(place.prefix, "lock", name) ?? ownerOf(place.prefix, "new", name)
    return owner !== undefined && !host.isAlive(owner)
  })
  const isLeft =
    marks.length + leftovers.length > 0 || claims.length > activeRuns || (journal !== undefined && activeRuns === 0)
  if (isLeft) yield* changeClaims(place, Effect.succeed)
  const isPending = activeRuns === 0 && (yield* readJournal(place)) !== undefined
  const recovery: Recovery = { file: place.file, isRestored: isLeft && !isPending, activeRuns, isPending }
  return recovery
})
