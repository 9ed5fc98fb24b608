/** Reads a regular file up to a limit, whatever its size says, without waiting for a FIFO or a device. */
import { type BigIntStats, constants } from "node:fs"
import { open } from "node:fs/promises"

export type Reading =
  | { readonly _tag: "Read"; readonly bytes: Uint8Array; readonly info: BigIntStats }
  | { readonly _tag: "NotRegular"; readonly info: BigIntStats }
  | { readonly _tag: "TooLarge" }

/** Node lacks some of them on Windows. Whether a link at the end of the path is followed is the caller's choice. */
export const readFlags = {
  following: constants.O_RDONLY | (constants.O_NONBLOCK ?? 0),
  notFollowing: constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
}

/** Rejects with what the system says, and with the reason of the signal. */
export const readRegular = async (
  path: string,
  limit: number,
  flags: number,
  signal?: AbortSignal
): Promise<Reading> => {
  const handle = await open(path, flags)
  try {
    const info = await handle.stat({ bigint: true })
    if (!info.isFile()) return { _tag: "NotRegular", info }
    const chunks: Array<Uint8Array> = []
    let length = 0
    // One byte more than its size: it may have grown, and files in /proc report none.
    let size = Math.min(Number(info.size), limit) + 1
    while (length <= limit) {
      signal?.throwIfAborted()
      const { bytesRead, buffer } = await handle.read(new Uint8Array(size))
      chunks.push(buffer.subarray(0, bytesRead))
      length += bytesRead
      const isWhole = bytesRead === 0 || (length <= limit && length === Number(info.size))
      if (isWhole) return { _tag: "Read", bytes: Buffer.concat(chunks), info }
      size = 64 * 1024
    }
    return { _tag: "TooLarge" }
  } finally {
    await handle.close()
  }
}
