/**
 * Lines that wait on disk: a temporary file, unlinked at once so that nothing of it stays. Synchronous, since stdout
 * never waits; the latest lines are buffered, since one write for each would be slow.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeLineSplitter } from "./lines.ts"

export interface Spill {
  /** Throws the disk's error; that line is lost then, and all before it are kept. */
  readonly write: (line: string) => void
  /** The oldest unread lines: about `bytes` of them and at least one; empty when all were read. */
  readonly read: (bytes: number) => ReadonlyArray<string>
  readonly close: () => void
}

export const openSpill = (bufferBytes = 256 * 1024): Spill => {
  const path = join(tmpdir(), `reins-spill-${crypto.randomUUID()}`)
  const file = openSync(path, "wx+", 0o600)
  unlinkSync(path)
  let output = 0
  let taken = 0
  const splitter = makeLineSplitter(Number.POSITIVE_INFINITY)
  // One buffer for all reads: buffers are collected late.
  let buffer = Buffer.alloc(0)
  const youngest = Buffer.allocUnsafe(bufferBytes)
  let gathered = 0

  const toDisk = (bytes: Buffer) => {
    for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from, bytes.length - from, output + from)
    output += bytes.length
  }

  const linesOf = (bytes: Uint8Array) =>
    splitter.push(bytes).flatMap((line) => (line._tag === "Line" ? [line.text] : []))

  const flush = () => {
    toDisk(youngest.subarray(0, gathered))
    gathered = 0
  }

  return {
    write: (line) => {
      const text = `${line}\n`
      const length = Buffer.byteLength(text)
      if (length > youngest.length - gathered) flush()
      if (length > youngest.length) toDisk(Buffer.from(text))
      else gathered += youngest.write(text, gathered)
    },
    read: (bytes) => {
      if (buffer.length < bytes) buffer = Buffer.allocUnsafe(bytes)
      while (taken < output) {
        const count = readSync(file, buffer, 0, Math.min(bytes, output - taken), taken)
        taken += count
        const lines = linesOf(buffer.subarray(0, count))
        if (lines.length > 0) return lines
      }
      const lines = linesOf(youngest.subarray(0, gathered))
      gathered = 0
      return lines
    },
    close: () => closeSync(file)
  }
}
