/**
 * Reads a text from the file that a flag names, or from stdin, up to a limit. The file is opened without blocking, so that a
 * FIFO or a device is refused at once.
 */
import { Effect, Result, Stdio, Stream } from "effect"
import { InvalidParams } from "../contract/AgentError.ts"
import { untraced } from "../contract/untraced.ts"
import { readFlags, readRegular } from "../system/process/regularFile.ts"

const mebibyte = 1024 * 1024

export const maxBytes = { config: 5 * mebibyte, prompt: 16 * mebibyte, transcript: 256 * mebibyte } as const
const sizeText = (bytes: number) => `${bytes / mebibyte} MiB`

const problems: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist",
  EACCES: "cannot be read: permission denied",
  EISDIR: "is a directory",
  ENXIO: "is not a regular file"
}

const problemOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
  return problems[code] ?? `cannot be read (${code})`
}

const readText = async (path: string, limit: number, signal: AbortSignal): Promise<Result.Result<string, string>> => {
  const reading = await readRegular(path, limit, readFlags.following, signal)
  if (reading._tag === "Read") return Result.succeed(Buffer.from(reading.bytes).toString())
  if (reading._tag === "TooLarge") return Result.fail(`is larger than ${sizeText(limit)}`)
  return Result.fail(reading.info.isDirectory() ? "is a directory" : "is not a regular file, but a pipe or a device")
}

/** `option`: the flag or argument that names the file, for errors. */
export const readFile = (option: string, path: string, limit: number): Effect.Effect<string, InvalidParams> =>
  Effect.tryPromise({ try: (signal) => readText(path, limit, signal), catch: problemOf }).pipe(
    Effect.flatMap(Effect.fromResult),
    Effect.mapError((problem) => new InvalidParams({ option, problem: `${path}: ${problem}` }))
  )

/** Fails beyond the limit, in bytes. `onBegin` is called before the first bytes are taken. */
export const readStdin = Effect.fn(...untraced("ReadInput.readStdin"))(function* (
  option: string,
  limit: number,
  onBegin = () => {}
) {
  const { stdin } = yield* Stdio.Stdio
  const invalid = (problem: string) => new InvalidParams({ option, problem: `stdin: ${problem}` })
  let bytes = 0
  const chunks = yield* stdin.pipe(
    Stream.mapError((error) => invalid(`cannot be read (${error.reason._tag})`)),
    Stream.tap((chunk) => {
      if (bytes === 0) onBegin()
      bytes += chunk.byteLength
      return bytes > limit ? Effect.fail(invalid(`has more than ${sizeText(limit)}`)) : Effect.void
    }),
    Stream.runCollect
  )
  return Buffer.concat(chunks).toString()
})
