/** Directory and files of a store: of this user alone, and nothing but files. Synchronous, as SQLite is. */
import { accessSync, chmodSync, closeSync, constants, lstatSync, openSync, type Stats } from "node:fs"
import { Effect } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { StoreError, StoreRefused } from "../../contract/StoreError.ts"
import { makeDirectories } from "../../system/process/privateFiles.ts"

const cure = "Make it your own, with mode 700 for the directory and 600 for its files, or use another directory."

export const refused = (place: string, problem: string, how = cure) =>
  new StoreError({ reason: new StoreRefused({ place, problem, cure: how }) })

const refusedBy = (place: string) => (cause: unknown) =>
  cause instanceof StoreError ? cause : refused(place, `cannot be used: ${explain(codeOf(cause) ?? String(cause))}`)

/** Turns a thrown `StoreError` or system error into a failure. */
const attempt = <A>(place: string, run: () => A) => Effect.try({ try: run, catch: refusedBy(place) })
const othersMayWrite = 0o022
const othersMayDoAnything = 0o077

const checkOwner = (place: string, { uid }: Stats) => {
  const own = process.getuid?.()
  if (own !== undefined && uid !== own) throw refused(place, `belongs to the user ${uid}`)
}

/** Creates it, for its owner only, if it is missing. */
export const ownDirectory = (directory: string) =>
  attempt(directory, () => {
    makeDirectories(directory, 0o700)
    const info = lstatSync(directory)
    if (info.isSymbolicLink()) throw refused(directory, "is a symbolic link")
    if (!info.isDirectory()) throw refused(directory, "is not a directory")
    checkOwner(directory, info)
    if (process.getuid === undefined) return
    if ((info.mode & othersMayWrite) !== 0) throw refused(directory, "can be written by others")
    if ((info.mode & othersMayDoAnything) !== 0) chmodSync(directory, 0o700)
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  })

const checkFile = (file: string, info: Stats) => {
  if (info.isSymbolicLink()) throw refused(file, "is a symbolic link")
  if (!info.isFile()) throw refused(file, "is not a file")
  if (info.nlink > 1) throw refused(file, "has another name, too (a hard link)")
  checkOwner(file, info)
  if (process.getuid === undefined) return
  if ((info.mode & othersMayDoAnything) !== 0) chmodSync(file, 0o600)
  accessSync(file, constants.R_OK | constants.W_OK)
}

/** Suffixes of files that SQLite puts beside the database. */
export const besides = ["-wal", "-shm", "-journal"] as const

/** Creates its file, for its owner only, if it is missing; checks it and those beside it. */
export const ownFiles = (file: string) =>
  attempt(file, () => {
    try {
      closeSync(openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600))
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw cause
    }
    for (const each of ["", ...besides].map((end) => `${file}${end}`)) {
      const info = lstatSync(each, { throwIfNoEntry: false })
      if (info !== undefined) checkFile(each, info)
    }
  })

/** Identity of an existing file; a different value means that it was removed or replaced. */
export const identityOf = (file: string): string | undefined => {
  const info = lstatSync(file, { throwIfNoEntry: false, bigint: true })
  return info === undefined ? undefined : `${info.dev}:${info.ino}`
}
