/** Files as others see them: their modes, where temporary ones are made, and which this process holds open (Linux). */
import { readdirSync, readlinkSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { makeDirectory } from "./temporary.ts"

export const modeOf = (file: string) => statSync(file).mode & 0o7777

/** For the length of a test this process puts its temporary files into a directory of its own. */
export const ownTmpdir = Effect.gen(function* () {
  const directory = yield* makeDirectory
  const before = process.env["TMPDIR"]
  process.env["TMPDIR"] = directory
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      if (before === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = before
    })
  )
  return directory
})

const targetOf = (descriptor: string) => {
  try {
    return readlinkSync(join("/proc/self/fd", descriptor))
  } catch {
    return "" // the one that was open to list them
  }
}

/** Open files below the directory, one entry for each descriptor; a removed one ends in "(deleted)". */
export const openFilesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync("/proc/self/fd")
    .map(targetOf)
    .filter((target) => target.startsWith(directory))
