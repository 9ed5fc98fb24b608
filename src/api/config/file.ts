/** The user's file `reins.toml`. It can allow agents more, so it is used only if no other user can have written it. */
import { randomBytes } from "node:crypto"
import type { BigIntStats } from "node:fs"
import { lstat, open, realpath, rename, stat, unlink } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Result } from "effect"
import { ConfigurationError } from "../../contract/ConfigurationError.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { findUserDirectory } from "../../system/locks/stateDirectory.ts"
import { makeDirectories } from "../../system/process/privateFiles.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"

const fileName = "reins.toml"
const mostBytes = 256 * 1024
const failed = (file: string, problem: string) => new ConfigurationError({ file, problems: [{ problem }] })

const reasonOf = (cause: unknown) => {
  const code = codeOf(cause)
  return code === undefined ? "the system refuses it" : explain(code)
}

const write = async (path: string, text: string) => {
  makeDirectories(dirname(path), 0o700)
  // Replaces the target of a link, not the link.
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
    catch: (cause) => failed(path, `cannot be written: ${reasonOf(cause)}`)
  })

/** The user's own; undefined if no directory for it is known. */
export const findDefaultFile: Effect.Effect<string | undefined> = Effect.match(findUserDirectory("config"), {
  onSuccess: (directory) => join(directory, fileName),
  onFailure: () => undefined
})

const noDirectory = "no directory for configuration is known: set HOME, or XDG_CONFIG_HOME to a directory"

/** `named` is relative to the current directory. Nothing is created. */
export const findFile = (named: string | undefined): Effect.Effect<string, ConfigurationError> =>
  named === undefined
    ? Effect.flatMap(findDefaultFile, (file) =>
        file === undefined ? Effect.fail(failed(fileName, noDirectory)) : Effect.succeed(file)
      )
    : Effect.succeed(resolve(named))

const othersMayWrite = 0o022n
const othersMayRead = 0o044n
const isSticky = 0o1000n

type Owned = Pick<BigIntStats, "uid" | "mode">

export type OwnerProblem = readonly [problem: string, cure: string]

/** Another user owns it: neither the user nor the administrator, who can do anything as the user. */
export const strangersProblem = ({ uid }: Owned, cure: string): OwnerProblem | undefined => {
  const own = process.getuid?.()
  return own === undefined || uid === BigInt(own) || uid === 0n ? undefined : [`belongs to the user ${uid}`, cure]
}

const isOpenToOthers = ({ mode }: Owned) => process.getuid !== undefined && (mode & othersMayWrite) !== 0n

/** A link counts as its target, if no other user can have created it. */
export const placeProblem = async (path: string, cure: string): Promise<OwnerProblem | undefined> => {
  const directory = dirname(path)
  const [above, itself] = [await stat(directory, { bigint: true }), await lstat(path, { bigint: true })]
  const stranger = strangersProblem(itself, cure)
  if (stranger !== undefined || !isOpenToOthers(above) || (above.mode & isSticky) !== 0n) return stranger
  return ["is in a directory that others can write", `chmod go-w ${JSON.stringify(directory)}`]
}

const ownCure = "make one of your own"

const fileProblem = (path: string, info: Owned): OwnerProblem | undefined =>
  strangersProblem(info, ownCure) ??
  (isOpenToOthers(info) ? ["can be written by others", `chmod go-w ${JSON.stringify(path)}`] : undefined)

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of a file, and whether its user alone can read it. */
export interface ReadFile {
  readonly text: string
  readonly isPrivate: boolean
}

const read = async (path: string, signal: AbortSignal): Promise<Result.Result<ReadFile, string>> => {
  const place = await placeProblem(path, ownCure)
  if (place !== undefined) return Result.fail(place.join(": "))
  const reading = await readRegular(path, mostBytes, readFlags.following, signal)
  if (reading._tag === "TooLarge") return Result.fail(`is larger than ${mostBytes / 1024} KiB`)
  if (reading._tag === "NotRegular") return Result.fail("is not a regular file")
  const owner = fileProblem(path, reading.info)
  if (owner !== undefined) return Result.fail(owner.join(": "))
  try {
    const isPrivate = process.getuid === undefined || (reading.info.mode & othersMayRead) === 0n
    return Result.succeed({ text: decoder.decode(reading.bytes), isPrivate })
  } catch {
    return Result.fail("is not text in UTF-8")
  }
}

const unreadable = (cause: unknown) =>
  codeOf(cause) === "ENXIO" ? "is not a regular file" : `cannot be read: ${reasonOf(cause)}`

/** Returns undefined if the file does not exist. */
export const readFile = (path: string): Effect.Effect<ReadFile | undefined, ConfigurationError> =>
  Effect.tryPromise({ try: (signal) => read(path, signal), catch: (cause) => cause }).pipe(
    Effect.flatMap(Effect.fromResult),
    Effect.catch((cause) => {
      if (typeof cause === "string") return Effect.fail(failed(path, cause))
      return codeOf(cause) === "ENOENT" ? Effect.succeed(undefined) : Effect.fail(failed(path, unreadable(cause)))
    })
  )

/** The same for its text alone. */
export const readText = (path: string): Effect.Effect<string | undefined, ConfigurationError> =>
  Effect.map(readFile(path), (found) => found?.text)

/** A `reins.toml` of the current directory that is not the user's. */
export const strangersFile = (own: string): Effect.Effect<string | undefined> =>
  Effect.promise(async () => {
    try {
      // Without a current directory this throws, too.
      const here = resolve(fileName)
      const found = await realpath(here)
      return found === (await realpath(own).catch(() => own)) ? undefined : here
    } catch {
      return undefined
    }
  })
