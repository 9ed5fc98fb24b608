/**
 * The user's file `reins.toml`: its place and its text. It can loosen what agents may do, so it is used only if no
 * other user can have written it.
 */

import { randomBytes } from "node:crypto"
import { lstat, open, realpath, rename, stat, unlink } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Result } from "effect"
import { ConfigurationError } from "../../contract/ConfigurationError.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { findUserDirectory } from "../../system/locks/stateDirectory.ts"
import { makeDirectories } from "../../system/process/privateFiles.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"

const write = async (path: string, text: string) => {
  makeDirectories(dirname(path), 0o700)
  // A link stays one: its target is replaced.
  const target = await realpath(path).catch(() => path)
  const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`
  try {
    const handle = await open(temporary, "wx", 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, target)
  } catch (cause) {
    await unlink(temporary).catch(() => {})
    throw cause
  }
}

/** Writes `reins.toml` as a whole or not at all, readable by its owner alone. */
export const writeText = (path: string, text: string): Effect.Effect<void, ConfigurationError> =>
  Effect.tryPromise({
    try: () => write(path, text),
    catch: (cause) => {
      const code = codeOf(cause)
      const problem = `cannot be written: ${code === undefined ? "the system refuses it" : explain(code)}`
      return new ConfigurationError({ file: path, problems: [{ problem }] })
    }
  })

const fileName = "reins.toml"

const mostBytes = 256 * 1024

const failed = (file: string, problem: string) => new ConfigurationError({ file, problems: [{ problem }] })

/** `named` is relative to the current directory. Nothing is created. */
export const findFile = (named: string | undefined): Effect.Effect<string, ConfigurationError> =>
  named === undefined
    ? Effect.match(findUserDirectory("config"), {
        onSuccess: (directory) => Result.succeed(join(directory, fileName)),
        onFailure: () =>
          Result.fail(
            failed(fileName, "no directory for configuration is known: set HOME, or XDG_CONFIG_HOME to a directory")
          )
      }).pipe(Effect.flatMap(Effect.fromResult))
    : Effect.succeed(resolve(named))

const othersMayWrite = 0o022n
const othersMayRead = 0o044n
const isSticky = 0o1000n

interface Owned {
  readonly uid: bigint
  readonly mode: bigint
}

/** The user, or the administrator, who can do as the user. */
const isTrusted = (uid: bigint) => {
  const own = process.getuid?.()
  return own === undefined || uid === BigInt(own) || uid === 0n
}

const isOpenToOthers = ({ mode }: Owned) => process.getuid !== undefined && (mode & othersMayWrite) !== 0n

/** A link counts as its target, if no other user can have created it. */
const placeProblem = async (path: string): Promise<string | undefined> => {
  const directory = dirname(path)
  const [above, itself] = [await stat(directory, { bigint: true }), await lstat(path, { bigint: true })]
  if (!isTrusted(itself.uid)) return `belongs to the user ${itself.uid}: make one of your own`
  if (!isOpenToOthers(above)) return undefined
  if ((above.mode & isSticky) !== 0n) return undefined
  return `is in a directory that others can write: chmod go-w ${JSON.stringify(directory)}`
}

const fileProblem = (path: string, info: Owned): string | undefined => {
  if (!isTrusted(info.uid)) return `belongs to the user ${info.uid}: make one of your own`
  return isOpenToOthers(info) ? `can be written by others: chmod go-w ${JSON.stringify(path)}` : undefined
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of a file, and whether its user alone can read it. */
export interface ReadFile {
  readonly text: string
  readonly isPrivate: boolean
}

const read = async (path: string, signal: AbortSignal): Promise<Result.Result<ReadFile, string>> => {
  const problem = await placeProblem(path)
  if (problem !== undefined) return Result.fail(problem)
  const reading = await readRegular(path, mostBytes, readFlags.following, signal)
  if (reading._tag === "TooLarge") return Result.fail(`is larger than ${mostBytes / 1024} KiB`)
  if (reading._tag === "NotRegular") return Result.fail("is not a regular file")
  const owner = fileProblem(path, reading.info)
  if (owner !== undefined) return Result.fail(owner)
  try {
    const isPrivate = process.getuid === undefined || (reading.info.mode & othersMayRead) === 0n
    return Result.succeed({ text: decoder.decode(reading.bytes), isPrivate })
  } catch {
    return Result.fail("is not text in UTF-8")
  }
}

const refused = (cause: unknown) => {
  const code = codeOf(cause)
  if (code === "ENXIO") return "is not a regular file"
  return `cannot be read: ${code === undefined ? "the system refuses it" : explain(code)}`
}

/** Undefined where the file does not exist. */
export const readFile = (path: string): Effect.Effect<ReadFile | undefined, ConfigurationError> =>
  Effect.tryPromise({ try: (signal) => read(path, signal), catch: (cause) => cause }).pipe(
    Effect.flatMap(Effect.fromResult),
    Effect.catch((cause) => {
      if (typeof cause === "string") return Effect.fail(failed(path, cause))
      return codeOf(cause) === "ENOENT" ? Effect.succeed(undefined) : Effect.fail(failed(path, refused(cause)))
    })
  )

/** The same, where its text alone counts. */
export const readText = (path: string): Effect.Effect<string | undefined, ConfigurationError> =>
  Effect.map(readFile(path), (found) => found?.text)

/** A `reins.toml` of the current directory that is not the user's. */
export const strangersFile = (own: string): Effect.Effect<string | undefined> =>
  Effect.promise(async () => {
    const here = resolve(fileName)
    try {
      const found = await realpath(here)
      return found === (await realpath(own).catch(() => own)) ? undefined : here
    } catch {
      return undefined
    }
  })
