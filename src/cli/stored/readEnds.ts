/** As much of a file as a list needs: at most 64 KiB of either end. Never waits, whatever the file is. */
import { type FileHandle, open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"
import type { StoredFile } from "../Stored.ts"
import { type FoundFile, wordsOf } from "./walk.ts"

const endBytes = 64 * 1024
/** One turn of Claude Code takes 140 KB. */
const wholeBytes = 3 * endBytes
/** Of a file that names a directory. */
const besideBytes = 16 * 1024

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const piece = async (handle: FileHandle, from: number, length: number): Promise<Uint8Array> => {
  const buffer = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** From its first whole line on. */
const fromLine = (tail: string) => tail.slice(tail.indexOf("\n") + 1 || tail.length)

const besideOf = async (file: string, names: ReadonlyArray<string>): Promise<string | undefined> => {
  const reading = await readRegular(join(dirname(file), ...names), besideBytes, readFlags.notFollowing).catch(
    () => undefined
  )
  return reading?._tag === "Read" ? text(reading.bytes) : undefined
}

/** Or why it cannot be read. */
export const readEnds = async (
  { path, name }: FoundFile,
  beside: ReadonlyArray<string> | undefined
): Promise<StoredFile | string> => {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, readFlags.notFollowing)
    const info = await handle.stat()
    if (!info.isFile()) return "is not a regular file"
    if (info.size === 0) return "is empty"
    const isWhole = info.size <= wholeBytes
    const head = text(await piece(handle, 0, isWhole ? info.size : endBytes))
    const tail = isWhole ? "" : fromLine(text(await piece(handle, info.size - endBytes, endBytes)))
    return { name, head, tail, isWhole, beside: beside && (await besideOf(path, beside)) }
  } catch (cause) {
    return wordsOf(cause)
  } finally {
    await handle?.close()
  }
}
