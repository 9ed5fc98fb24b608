/** The lines of a file from its end, reading no more than needed. Lines that are cut off or too long are left out. */
import { type FileHandle, open } from "node:fs/promises"
import { readFlags } from "../../system/process/regularFile.ts"

const chunkBytes = 256 * 1024
const longestLine = 8 * 1024 * 1024
const mostBytes = 256 * 1024 * 1024
const newline = 10

const chunkBefore = async (handle: FileHandle, end: number): Promise<Uint8Array> => {
  const start = Math.max(0, end - chunkBytes)
  const buffer = new Uint8Array(end - start)
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start)
  return buffer.subarray(0, bytesRead)
}

/** Stops when `take` returns false. */
export const linesFromEnd = async (
  path: string,
  take: (line: Buffer) => boolean,
  signal: AbortSignal
): Promise<void> => {
  const handle = await open(path, readFlags.notFollowing)
  try {
    const info = await handle.stat()
    if (!info.isFile()) return
    const first = Math.max(0, info.size - mostBytes)
    /** The end of a line whose beginning is still to come. */
    let rest: ReadonlyArray<Uint8Array> = []
    let restBytes = 0
    let end = info.size
    while (end > first && !signal.aborted) {
      const chunk = await chunkBefore(handle, end)
      if (chunk.length === 0) return
      let lineEnd = chunk.length
      for (let at = chunk.lastIndexOf(newline); at !== -1; at = at === 0 ? -1 : chunk.lastIndexOf(newline, at - 1)) {
        const line = Buffer.concat([chunk.subarray(at + 1, lineEnd), ...rest])
        const isLong = restBytes > longestLine
        rest = []
        restBytes = 0
        lineEnd = at
        if (line.length > 0 && !isLong && !take(line)) return
      }
      restBytes += lineEnd
      rest = restBytes > longestLine ? [] : [chunk.subarray(0, lineEnd), ...rest]
      end -= chunk.length
    }
    if (end === 0 && restBytes > 0 && restBytes <= longestLine) take(Buffer.concat(rest))
  } finally {
    await handle.close()
  }
}
