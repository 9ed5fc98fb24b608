/** The player's pipes. Neither way keeps the other waiting: stdin is read while a slow reader takes the output. */
import { write } from "node:fs"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"

const writeSome = promisify(write)

const gone = new Set<number>()

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined)

/** Returns when the pipe has taken everything. What nobody reads any more is dropped, and the script goes on. */
export const writeAll = async (fd: 1 | 2, data: string): Promise<void> => {
  const bytes = Buffer.from(data)
  for (let at = 0; at < bytes.length && !gone.has(fd); ) {
    try {
      at += (await writeSome(fd, bytes, at)).bytesWritten
    } catch (error) {
      const code = codeOf(error)
      if (code === "EAGAIN") await sleep(1)
      else if (code === "EPIPE" || code === "ECONNRESET" || code === "EBADF") gone.add(fd)
      else throw error
    }
  }
}

/** To its end. A terminal has none: nothing is read from it. */
export const readStdin = async (): Promise<string> => {
  if (process.stdin.isTTY) return ""
  try {
    return await text(process.stdin)
  } catch {
    return "" // closed from the start, or no stream
  }
}
