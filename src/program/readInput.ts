/**
 * What a flag or an argument names, as text: a regular file, or stdin, and of either no more than is allowed. A file is
 * opened without waiting, so that a FIFO or a device is refused and not waited for.
 */
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { Effect, Result, Stdio, Stream } from "effect"
import { InvalidParams } from "../contract/AgentError.ts"

const mebibyte = 1024 * 1024

/** In bytes. */
export const mostBytes = { config: 5 * mebibyte, prompt: 16 * mebibyte, transcript: 256 * mebibyte } as const

const sizeText = (bytes: number) => `${bytes / mebibyte} MiB`

const problems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "you may not read it",
  EISDIR: "is a directory",
  ENXIO: "is no regular file"
}

const problemOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
  return problems[code] ?? `cannot be read (${code})`
}

/** Node on Windows has no such flag, and no FIFO among its files. */
const unwaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const readRegular = async (
  handle: FileHandle,
  most: number,
  signal: AbortSignal
): Promise<Result.Result<string, string>> => {
  const info = await handle.stat()
  if (info.isDirectory()) return Result.fail("is a directory")
  if (!info.isFile()) return Result.fail("is no regular file (a pipe or a device)")
  // A file may grow while it is read, or tell no size at all.
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of handle.createReadStream({ end: most, signal, autoClose: false })) {
    chunks.push(chunk)
    bytes += chunk.byteLength
  }
  return bytes > most
    ? Result.fail(`is larger than ${sizeText(most)}`)
    : Result.succeed(Buffer.concat(chunks).toString())
}

const readAll = async (path: string, most: number, signal: AbortSignal): Promise<Result.Result<string, string>> => {
  const handle = await open(path, unwaiting)
  try {
    return await readRegular(handle, most, signal)
  } finally {
    await handle.close()
  }
}

/** `option`: what named the file. */
export const readFile = (option: string, path: string, most: number): Effect.Effect<string, InvalidParams> =>
  Effect.tryPromise({ try: (signal) => readAll(path, most, signal), catch: problemOf }).pipe(
    Effect.flatMap(Effect.fromResult),
    Effect.mapError((problem) => new InvalidParams({ option, problem: `${path}: ${problem}` }))
  )

/** To its end; what comes beyond the limit is not read. */
export const readStdin = Effect.fnUntraced(function* (option: string, most: number) {
  const { stdin } = yield* Stdio.Stdio
  const invalid = (problem: string) => new InvalidParams({ option, problem: `stdin: ${problem}` })
  let bytes = 0
  const chunks = yield* stdin.pipe(
    Stream.mapError((error) => invalid(`cannot be read (${error.reason._tag})`)),
    Stream.tap((chunk) => {
      bytes += chunk.byteLength
      return bytes > most ? Effect.fail(invalid(`has more than ${sizeText(most)}`)) : Effect.void
    }),
    Stream.runCollect
  )
  return Buffer.concat(chunks).toString()
})
