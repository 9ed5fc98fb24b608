/** A file that only its owner can read, at a caller's path: only a regular file is opened, and a FIFO never blocks. */
import { constants, type Stats } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { Effect } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants

const kindOf = (stats: Stats) => {
  if (stats.isDirectory()) return "a directory"
  if (stats.isFIFO()) return "a named pipe (FIFO)"
  if (stats.isSocket()) return "a socket"
  return "a device"
}

const noFile = (kind: string) => `is ${kind}, not a file: name a regular file, or one that does not exist yet`

const problems: Readonly<Record<string, string>> = {
  ENOENT: "is in a directory that does not exist",
  EACCES: "may not be written",
  EISDIR: noFile("a directory"),
  // The same code for a FIFO without a reader, a socket and a missing device.
  ENXIO: noFile("a named pipe (FIFO), a socket or a device")
}

const reasonOf = (error: unknown) => {
  const code = codeOf(error)
  return code === undefined ? "the system refuses it" : explain(code)
}

const problemOf = (error: unknown) => problems[codeOf(error) ?? ""] ?? `cannot be written: ${reasonOf(error)}`

/** Empties the file and lets only its owner read it. */
const take = async (handle: FileHandle) => {
  const stats = await handle.stat()
  if (!stats.isFile()) return noFile(kindOf(stats))
  await handle.chmod(0o600)
  await handle.truncate(0)
  return undefined
}

/** Open and empty, until the scope closes. Fails with what is wrong with the path: "is a directory, …". */
export const openOwnFile = Effect.fnUntraced(function* (path: string) {
  const handle = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0o600), catch: problemOf }),
    (opened) => Effect.ignore(Effect.tryPromise(() => opened.close()))
  )
  const problem = yield* Effect.tryPromise({ try: () => take(handle), catch: problemOf })
  if (problem !== undefined) return yield* Effect.fail(problem)
  return {
    /** Appends all of it. Fails with the explanation of the system's error. */
    append: (bytes: Uint8Array) => Effect.tryPromise({ try: () => handle.appendFile(bytes), catch: reasonOf })
  }
})
