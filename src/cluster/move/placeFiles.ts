/**
 * Puts the files of a session below the root of its CLI: all of them, or none. An existing file is never replaced, but for an
 * earlier state of the same session, which is kept until the move is over. Each placed file has a second name beside it, so
 * that it can be removed after the death of the host, too.
 */
import { constants } from "node:fs"
import { link, lstat, mkdir, open, realpath, rename, rm } from "node:fs/promises"
import { basename, dirname, join, sep } from "node:path"
import { codeOf } from "../../contract/errors/system.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"
import { limits, notMoved } from "./packed.ts"
import type { FileRole } from "./sessionFiles.ts"

export interface PlacedFile {
  /** Relative to the root; its form was checked. */
  readonly path: string
  readonly role: FileRole
  readonly bytes: Uint8Array
}

export type Placed = Pick<PlacedFile, "path"> & { readonly size: number }

const statOf = (path: string) =>
  lstat(path, { bigint: true }).catch((cause) => {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined
    throw cause
  })

/** Names beside a file: of the file that a move has put there (`mark`), and of the one before. */
const namesOf = (final: string, moveId: string) => {
  const start = join(dirname(final), `.reins-${moveId}-${basename(final)}`)
  return { mark: `${start}.new`, before: `${start}.before` }
}

const outside = () => notMoved("a folder of the CLI is a link that leads out of its files")
const isBelow = (root: string, path: string) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

/** A directory below the root; creates it if it is missing. */
const enter = async (root: string, names: ReadonlyArray<string>): Promise<string> => {
  let path = root
  for (const name of names) {
    path = join(path, name)
    await mkdir(path, { mode: 0o700 }).catch((cause) => {
      if (codeOf(cause) !== "EEXIST") throw cause
    })
    path = await realpath(path)
    if (!isBelow(root, path)) throw outside()
  }
  return path
}

const contentOf = async (path: string): Promise<Uint8Array | undefined> => {
  const info = await statOf(path)
  if (info === undefined) return undefined
  const reading = info.isFile() ? await readRegular(path, limits.totalBytes, readFlags.notFollowing) : undefined
  if (reading?._tag !== "Read") throw notMoved("the home has something else where a file of the session belongs")
  return reading.bytes
}

type Step = "leave" | "create" | "replace"

const startsWith = (bytes: Uint8Array, start: Uint8Array) =>
  bytes.length >= start.length && Buffer.compare(bytes.subarray(0, start.length), start) === 0

const stepFor = ({ role, bytes }: PlacedFile, present: Uint8Array | undefined): Step => {
  if (present === undefined) return "create"
  if (startsWith(present, bytes) && (present.length === bytes.length || role === "base")) return "leave"
  if (startsWith(bytes, present)) return "replace"
  throw notMoved("the home has a session of this id with other content")
}

const write = async (path: string, bytes: Uint8Array) => {
  await rm(path, { force: true })
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const isThere = async (path: string) => (await statOf(path)) !== undefined

const place = async (final: string, moveId: string, bytes: Uint8Array, step: Step) => {
  if (step === "leave") return
  const { mark, before } = namesOf(final, moveId)
  await write(mark, bytes)
  if (step === "create") return await link(mark, final)
  if (!(await isThere(before))) await link(final, before)
  await rename(mark, final)
}

/** The real path of the root; creates it if it is missing. */
const openRoot = async (root: string) => {
  await mkdir(root, { mode: 0o700, recursive: true })
  return await realpath(root)
}

const finalOf = async (root: string, path: string) => {
  const names = path.split("/")
  return join(await enter(root, names.slice(0, -1)), names.at(-1) ?? "")
}

/** Rejects with `NotMoved`, or an error of the system: then `takeBack` removes the placed files. Idempotent. */
export const placeFiles = async (root: string, moveId: string, files: ReadonlyArray<PlacedFile>): Promise<void> => {
  const real = await openRoot(root)
  const steps: Array<{ readonly final: string; readonly bytes: Uint8Array; readonly step: Step }> = []
  for (const file of files) {
    const final = await finalOf(real, file.path)
    steps.push({ final, bytes: file.bytes, step: stepFor(file, await contentOf(final)) })
  }
  for (const { final, bytes, step } of steps) await place(final, moveId, bytes, step)
}

const each = async (
  root: string,
  files: ReadonlyArray<Placed>,
  use: (final: string, size: number) => Promise<void>
): Promise<void> => {
  const real = await realpath(root).catch(() => undefined)
  if (real === undefined) return
  for (const { path, size } of files) {
    const directory: string | undefined = await realpath(join(real, dirname(path))).catch(() => undefined)
    if (directory !== undefined && isBelow(real, directory)) await use(join(directory, basename(path)), size)
  }
}

/** Removes the files of the move, and restores those before it. Files that grew since stay. */
export const takeBack = (root: string, moveId: string, files: ReadonlyArray<Placed>): Promise<void> =>
  each(root, files, async (final, size) => {
    const { mark, before } = namesOf(final, moveId)
    const [present, made] = [await statOf(final), await statOf(mark)]
    const isUnchanged = present?.size === BigInt(size)
    if ((await isThere(before)) && isUnchanged) await rename(before, final)
    else if (isUnchanged && made !== undefined && made.ino === present.ino) await rm(final, { force: true })
    await rm(before, { force: true })
    await rm(mark, { force: true })
  })

/** Removes the second names: the move is over. */
export const keepPlaced = (root: string, moveId: string, files: ReadonlyArray<Placed>): Promise<void> =>
  each(root, files, async (final) => {
    const { mark, before } = namesOf(final, moveId)
    await rm(mark, { force: true })
    await rm(before, { force: true })
  })
