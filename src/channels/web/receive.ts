/** A body → a file, counted while it comes. */
import { open, rm } from "node:fs/promises"

interface Bounds {
  /** Largest file, in bytes. */
  readonly most: number
  /** Whether so many more bytes may be taken. */
  readonly room: (bytes: number) => boolean
}

interface Received {
  readonly bytes: number
  /** Its first bytes. */
  readonly head: Uint8Array
}

/** To a new file, which is gone again where the signal is aborted. Rejects where the body breaks off, or the disk takes no more. */
export const receive = async (
  path: string,
  body: AsyncIterable<Uint8Array>,
  { most, room }: Bounds,
  signal: AbortSignal
): Promise<Received | "too large" | "too many"> => {
  const file = await open(path, "wx", 0o600)
  try {
    let [bytes, head] = [0, new Uint8Array(0)]
    for await (const chunk of body) {
      signal.throwIfAborted()
      bytes += chunk.length
      if (bytes > most) return "too large"
      if (!room(chunk.length)) return "too many"
      if (head.length < 64) head = new Uint8Array([...head, ...chunk.subarray(0, 64)])
      await file.writeFile(chunk)
    }
    return { bytes, head }
  } finally {
    await file.close()
    if (signal.aborted) await rm(path, { force: true })
  }
}
