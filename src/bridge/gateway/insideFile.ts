/**
 * A path of the model → an open file below the working directory, or why it is not sent. No symbolic link is followed: a
 * directory may be replaced by a link between the look and the opening, so that the kernel is asked where the open file is.
 * Only Linux tells (`/proc`); elsewhere what was opened is compared with what stands at the path afterwards.
 */
import type { BigIntStats } from "node:fs"
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises"
import { isAbsolute, join, relative, resolve, sep } from "node:path"
import { Effect } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { untraced } from "../../contract/untraced.ts"
import { readFlags } from "../../system/process/regularFile.ts"
import { quoted, refuse, type ToolRefused } from "./toolInput.ts"

/**
 * Names of files that are never sent. They prevent mistakes of an agent, and are not a boundary: it can copy a file first.
 * In lower case; `*` stands for any characters. Each also holds for directories above the file.
 */
export const deniedNames = [
  ".env*",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.kdbx",
  "id_*",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".git",
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker"
] as const

const matches = (name: string, pattern: string) => {
  if (pattern.startsWith("*")) return name.endsWith(pattern.slice(1))
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** The pattern that part of a path matches; undefined if the file may be sent. */
export const deniedBy = (parts: ReadonlyArray<string>): string | undefined => {
  // A file system may take another case, and another form of a character, for the same.
  const names = parts.map((part) => part.normalize("NFKC").toLowerCase())
  return deniedNames.find((pattern) => names.some((name) => matches(name, pattern)))
}

export interface InsideFile {
  readonly handle: FileHandle
  /** The real path. */
  readonly path: string
}

const longestPath = 4096

/** The path below a directory; undefined if it is not below. */
const below = (directory: string, path: string): string | undefined => {
  const way = relative(directory, path)
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way
}

const kindOf = (info: BigIntStats) => {
  if (info.isDirectory()) return "is a directory: send its files one by one, or an archive of it"
  if (info.isFIFO()) return "is a named pipe (FIFO), not a file"
  if (info.isSocket()) return "is a socket, not a file"
  return "is a device, not a file"
}

const isSameFile = (one: BigIntStats, other: BigIntStats) => one.dev === other.dev && one.ino === other.ino

const megabytes = (bytes: number | bigint) => `${(Number(bytes) / 1_000_000).toFixed(1)} MB`

export const sizeProblem = (bytes: number | bigint, most: number): string | undefined => {
  if (most <= 0) return "is not sent: this chat takes no files"
  if (bytes === 0n || bytes === 0) return "is empty"
  return bytes <= most ? undefined : `has ${megabytes(bytes)}; this chat takes ${megabytes(most)} at most`
}

const attempt = <A>(visible: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) => {
      const code = codeOf(error)
      if (code === "ENOENT" || code === "ENOTDIR") return refuse(`${visible} does not exist, or is a link to nothing.`)
      if (code === "ELOOP") return refuse(`${visible} is a symbolic link: send the file itself.`)
      return refuse(`${visible} cannot be read: ${explain(code ?? "for an unknown reason")}.`)
    }
  })

/** The path within the directory's real path. */
const wayOf = (directory: string, root: string, path: string): Effect.Effect<string, ToolRefused> => {
  const visible = quoted(path)
  if (path === "" || path.includes("\0") || path.length > longestPath)
    return Effect.fail(refuse(`${visible} is not a path.`))
  const absolute = resolve(directory, path)
  const way = below(resolve(directory), absolute) ?? below(root, absolute)
  if (way === undefined) {
    return Effect.fail(refuse(`${visible} is outside of the working directory: copy the file into it first.`))
  }
  const pattern = deniedBy(way.split(sep))
  if (pattern === undefined) return Effect.succeed(way)
  return Effect.fail(
    refuse(`${visible} is not sent: files named ${pattern} may hold secrets. Ask the person to fetch it.`)
  )
}

/** Where the open file is, in one step; undefined if the system does not tell. */
const placeOf = ({ fd }: FileHandle): Promise<string | undefined> =>
  readlink(`/proc/self/fd/${fd}`).catch(() => undefined)

/** Whether the file is the one at the path, with no link on the way. */
const standsAt = async (path: string, info: BigIntStats): Promise<boolean> =>
  (await realpath(path)) === path && isSameFile(info, await lstat(path, { bigint: true }))

/** Open until the scope closes. */
export const openInside = Effect.fn(...untraced("InsideFile.openInside"))(function* (
  directory: string,
  path: string,
  mostBytes: number
) {
  const visible = quoted(path)
  const root = yield* attempt("The working directory", () => realpath(directory))
  const expected = join(root, yield* wayOf(directory, root, path))
  const real = yield* attempt(visible, () => realpath(expected))
  if (real !== expected) {
    const inside = below(root, real)
    const cure = inside === undefined ? "" : `: send ${quoted(inside)} instead`
    return yield* refuse(`${visible} leads through a symbolic link${cure || " out of the working directory"}.`)
  }
  const before = yield* attempt(visible, () => lstat(real, { bigint: true }))
  // Opening a device may do something.
  if (!before.isFile()) return yield* refuse(`${visible} ${kindOf(before)}.`)
  const handle = yield* Effect.acquireRelease(
    attempt(visible, () => open(real, readFlags.notFollowing)),
    (opened) => Effect.ignore(Effect.tryPromise(() => opened.close()))
  )
  const info = yield* attempt(visible, () => handle.stat({ bigint: true }))
  if (!info.isFile()) return yield* refuse(`${visible} ${kindOf(info)}.`)
  const place = yield* Effect.promise(() => placeOf(handle))
  const isThere = place === undefined ? yield* attempt(visible, () => standsAt(real, info)) : place === real
  if (!isThere) return yield* refuse(`${visible} was replaced meanwhile: try again.`)
  const problem = sizeProblem(info.size, mostBytes)
  if (problem !== undefined) return yield* refuse(`${visible} ${problem}.`)
  return { handle, path: real } satisfies InsideFile
})
