/**
 * A regular file in one piece: read up to a limit, or created where there is nothing. Waits for no FIFO and no device,
 * and follows no link.
 */
import { constants } from "node:fs"
import { lstat, open } from "node:fs/promises"
import { Schema } from "effect"

/** What is refused: by the system, or because it is no regular file of a bearable size. */
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
  /** Names one file on this machine, as long as it stands. */
  readonly identity: string
  /** When it was made, in nanoseconds; with the inode it tells a file from a later one. */
  readonly born: string
  /** Changes when its content does, its mode or its owner. */
  readonly revision: string
}

export interface FileContent {
  readonly bytes: Uint8Array
  readonly stat: Stat
}

export interface NewFile {
  readonly mode: number
  /** Kept as far as this process may decide it. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
}

/** Only where Node knows them: not on Windows. */
export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

export const statOf = (info: Awaited<ReturnType<typeof lstatBig>>): Stat => ({
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

export const readWhole = async (path: string, limit: number): Promise<FileContent> => {
  const handle = await open(path, readFlags)
  try {
    const info = await handle.stat({ bigint: true })
    const stat = statOf(info)
    if (stat.kind !== "file") throw notFile
    const chunks: Array<Uint8Array> = []
    let length = 0
    // A byte more than there seems to be: it may have grown, and a file of /proc has no size.
    let wanted = Math.min(Number(info.size), limit) + 1
    while (length <= limit) {
      const { bytesRead, buffer } = await handle.read(new Uint8Array(wanted))
      chunks.push(buffer.subarray(0, bytesRead))
      length += bytesRead
      if (bytesRead === 0 || (length <= limit && length === Number(info.size)))
        return { bytes: Buffer.concat(chunks), stat }
      wanted = 64 * 1024
    }
    throw new DiskRefused({ code: "too large", problem: `is larger than ${limit / mebibyte} MiB` })
  } finally {
    await handle.close()
  }
}

export const notFile = new DiskRefused({ code: "no file", problem: "is not a file" })

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
