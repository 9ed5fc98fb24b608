/**
 * Reads a text from the file that a flag names, or from stdin, up to a limit. The file is opened without blocking, so that
 * a FIFO or a device is refused and not waited for.
 */
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { Effect, Result, Stdio, Stream } from "effect"
import { InvalidParams } from "../contract/AgentError.ts"

const mebibyte = 1024 * 1024

/** In bytes. */
export const maxBytes = { config: 5 * mebibyte, prompt: 16 * mebibyte, transcript: 256 * mebibyte } as const

const sizeText = (bytes: number) => `${bytes / mebibyte} MiB`

const problems: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "cannot be read: permission denied",
  EISDIR: "is a directory",
  ENXIO: "is not a regular file"
}

const problemOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
  return problems[code] ?? `cannot be read (${code})`
}

/** `O_NONBLOCK` is missing on Windows, which has no FIFOs in its file system. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const readRegular = async (
  handle: FileHandle,
  limit: number,
  signal: AbortSignal
): Promise<Result.Result<string, string>> => {
  const info = await handle.stat()
  if (info.isDirectory()) return Result.fail("is a directory")
  if (!info.isFile()) return Result.fail("is not a regular file, but a pipe or a device")
  // The size is not relied on: a file may grow while it is read, or report none.
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of handle.createReadStream({ end: limit, signal, autoClose: false })) {
    chunks.push(chunk)
    bytes += chunk.byteLength
  }
  return bytes > limit
    ? Result.fail(`is larger than ${sizeText(limit)}`)
    : Result.succeed(Buffer.concat(chunks).toString())
}

const readAll = async (path: string, limit: number, signal: AbortSignal): Promise<Result.Result<string, string>> => {
  const handle = await open(path, openFlags)
  try {
    return await readRegular(handle, limit, signal)
  } finally {
    await handle.close()
  }
}

/** `option` is the flag or argument that named the file, for errors. */
export const readFile = (option: string, path: string, limit: number): Effect.Effect<string, InvalidParams> =>
  Effect.tryPromise({ try: (signal) => readAll(path, limit, signal), catch: problemOf }).pipe(
    Effect.flatMap(Effect.fromResult),
    Effect.mapError((problem) => new InvalidParams({ option, problem: `${path}: ${problem}` }))
  )

/** Reads stdin to its end; fails beyond the limit. */
export const readStdin = Effect.fnUntraced(function* (option: string, limit: number) {
  const { stdin } = yield* Stdio.Stdio
  const invalid = (problem: string) => new InvalidParams({ option, problem: `stdin: ${problem}` })
  let bytes = 0
  const chunks = yield* stdin.pipe(
    Stream.mapError((error) => invalid(`cannot be read (${error.reason._tag})`)),
    Stream.tap((chunk) => {
      bytes += chunk.byteLength
      return bytes > limit ? Effect.fail(invalid(`has more than ${sizeText(limit)}`)) : Effect.void
    }),
    Stream.runCollect
  )
  return Buffer.concat(chunks).toString()
})
