/**
 * Removes the files of locks that nobody has used for 30 days, each while it is held. A part of them a day, in the
 * background of a process that lives long enough, and once a process.
 */
import { lstatSync, rmSync } from "node:fs"
import { opendir } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, Option } from "effect"
import { hostWide } from "../../contract/hostWide.ts"
import { FileLocks } from "../../system/locks/fileLocks.ts"
import { findStateDirectory } from "../../system/locks/stateDirectory.ts"
import { locksName, suffixes } from "./place.ts"

const dayMs = 86_400_000
const keptMs = 30 * dayMs
const delayMs = 5_000

/** In a directory of any size: names are read, and no more of these files are looked at or removed. */
const mostLooks = 2_000

const lockFile = /^(?:session|conversation)-([0-9a-f])[0-9a-f]{63}$/

/** The locks whose digest begins with the digit of the day. */
const namesOf = async (directory: string, digit: string) => {
  const names: Array<string> = []
  for await (const { name } of await opendir(directory, { bufferSize: 256 })) {
    if (lockFile.exec(name)?.[1] === digit) names.push(name)
    if (names.length >= mostLooks) break
  }
  return names
}

const isOld = (file: string, nowMs: number) => {
  const info = lstatSync(file, { throwIfNoEntry: false })
  return info !== undefined && nowMs - info.mtimeMs > keptMs
}

const removeOne = Effect.fnUntraced(function* (file: string, nowMs: number) {
  const { tryLock } = yield* FileLocks
  if (!isOld(file, nowMs) || !(yield* tryLock(file)) || !isOld(file, nowMs)) return
  for (const suffix of ["", ...Object.values(suffixes)]) rmSync(`${file}${suffix}`, { force: true })
}, Effect.scoped)

/** Gives how many it has looked at. */
export const collectLocks = Effect.gen(function* () {
  const state = yield* Effect.option(findStateDirectory)
  if (Option.isNone(state)) return 0
  const directory = join(state.value, locksName)
  const nowMs = yield* Clock.currentTimeMillis
  const digit = (Math.floor(nowMs / dayMs) % 16).toString(16)
  const names = yield* Effect.orElseSucceed(
    Effect.tryPromise(() => namesOf(directory, digit)),
    () => []
  )
  for (const name of names) {
    yield* Effect.ignoreCause(removeOne(join(directory, name), nowMs))
    yield* Effect.yieldNow
  }
  return names.length
})

/** Later, unless this process has done it. Does not keep it alive. */
export const collectLater = Effect.gen(function* () {
  const state = hostWide("lock-collector@1", () => ({ isDone: false }))
  if (state.isDone) return
  state.isDone = true
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  setTimeout(() => fork(collectLocks), delayMs).unref()
})
