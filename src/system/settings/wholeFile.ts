/** Reads a regular file whole, up to a limit, or creates one; without following a link. */
import { type BigIntStats, constants } from "node:fs"
import { lstat, open } from "node:fs/promises"
import { Schema } from "effect"
import { readFlags, readRegular } from "../process/regularFile.ts"

/** A call that the system refused, or a file that is not regular or too large. */
export class DiskRefused extends Schema.TaggedError<DiskRefused>()("DiskRefused", {
  code: Schema.String,
  problem: Schema.String
}) {}

export interface Stat {
  readonly kind: "file" | "directory" | "link" | "other"
  /** Permission bits. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Identifies a file on this machine as long as it exists. */
  readonly identity: string
  /** Creation time in nanoseconds; tells it from a later file with the same inode number. */
  readonly born: string
  /** Changes with content, mode and owner. */
  readonly revision: string
}

export interface FileContent {
  readonly bytes: Uint8Array
  readonly stat: Stat
}

export interface NewFile {
  readonly mode: number
  /** Set where this process has the permission. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
}

/** Node lacks some of them on Windows. */
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

export const statOf = (info: BigIntStats): Stat => ({
  kind: info.isFile() ? "file" : info.isDirectory() ? "directory" : info.isSymbolicLink() ? "link" : "other",
  mode: Number(info.mode) & 0o7777,
  uid: Number(info.uid),
  gid: Number(info.gid),
  identity: `${info.dev}-${info.ino}`,
  born: String(info.birthtimeNs),
  revision: `${info.dev}-${info.ino}-${info.size}-${info.mtimeNs}-${info.mode}-${info.uid}-${info.gid}`
})
export const lstatBig = (path: string) => lstat(path, { bigint: true })

const mebibyte = 1024 * 1024

export const notFile = new DiskRefused({ code: "no file", problem: "is not a file" })

export const readWhole = async (path: string, limit: number): Promise<FileContent> => {
  const reading = await readRegular(path, limit, readFlags.notFollowing)
  if (reading._tag === "Read") return { bytes: reading.bytes, stat: statOf(reading.info) }
  if (reading._tag === "NotRegular") throw notFile
  throw new DiskRefused({ code: "too large", problem: `is larger than ${limit / mebibyte} MiB` })
}

export const createWhole = async (path: string, bytes: Uint8Array, { mode, owner }: NewFile) => {
  const handle = await open(path, createFlags, 0o600)
  try {
    await handle.writeFile(bytes)
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid).catch(() => {})
    await handle.chmod(mode)
  } finally {
    await handle.close()
  }
}
