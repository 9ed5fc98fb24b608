/** Finds the files of a CLI's sessions below its home. A symbolic link that leads out of it is reported, and not followed. */
import type { Dirent } from "node:fs"
import { lstat, readdir, realpath } from "node:fs/promises"
import { join, sep } from "node:path"
import { codeOf, explain } from "../../contract/errors/system.ts"
import type { StoredEnv } from "../Stored.ts"

export interface FoundFile {
  readonly path: string
  readonly name: string
  readonly size: number
  readonly modifiedAt: number
}

/** A file or directory that was left out, and why. */
export interface Skipped {
  readonly path: string
  readonly problem: string
}

const mostFiles = 100_000
/** Concurrent calls of the file system. */
const atOnce = 32

export const wordsOf = (cause: unknown): string => {
  const code = codeOf(cause)
  return `cannot be read: ${code === undefined ? String(cause) : explain(code)}`
}

/** Maps in order, a few at a time, until the signal aborts. */
export const mapSome = async <A, B>(
  all: ReadonlyArray<A>,
  signal: AbortSignal,
  use: (one: A) => Promise<B>
): Promise<ReadonlyArray<B>> => {
  const results: Array<B> = []
  for (let at = 0; at < all.length && !signal.aborted; at += atOnce) {
    results.push(...(await Promise.all(all.slice(at, at + atOnce).map(use))))
  }
  return results
}

const fits = (pattern: string | RegExp, name: string) =>
  typeof pattern === "string" ? pattern === name : pattern.test(name)

export interface Walk {
  /** Without symbolic links. */
  readonly home: string
  readonly env: StoredEnv
  readonly skip: (skipped: Skipped) => void
  readonly signal: AbortSignal
}

/** The target of a link, if that is inside of the home. */
const inside = async ({ home, skip }: Walk, path: string): Promise<string | undefined> => {
  const target = await realpath(path).catch(() => undefined)
  if (target === undefined) return undefined
  if (target.startsWith(home + sep)) return target
  skip({ path, problem: "is a symbolic link that leads out of the CLI's home: not followed" })
  return undefined
}

const entriesOf = async ({ skip }: Walk, path: string): Promise<ReadonlyArray<Dirent>> => {
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (cause) {
    const code = codeOf(cause)
    if (code !== "ENOENT" && code !== "ENOTDIR") skip({ path, problem: wordsOf(cause) })
    return []
  }
}

/** The paths below a directory, one step down. */
const stepDown = async (walk: Walk, directory: string, pattern: string | RegExp): Promise<ReadonlyArray<string>> => {
  const found = (await entriesOf(walk, directory)).filter(({ name }) => fits(pattern, name))
  const paths: Array<string> = []
  for (const entry of found) {
    const path = join(directory, entry.name)
    const real = entry.isSymbolicLink() ? await inside(walk, path) : path
    if (real !== undefined) paths.push(real)
  }
  return paths
}

const fileAt = async ({ skip }: Walk, path: string): Promise<FoundFile | undefined> => {
  try {
    const info = await lstat(path)
    if (!info.isFile()) skip({ path, problem: "is not a regular file" })
    else return { path, name: path.slice(path.lastIndexOf(sep) + 1), size: info.size, modifiedAt: info.mtimeMs }
  } catch (cause) {
    // Removed since.
    if (codeOf(cause) !== "ENOENT") skip({ path, problem: wordsOf(cause) })
  }
  return undefined
}

/** Returns undefined if the directory does not exist. */
export const realHome = (home: string): Promise<string | undefined> => realpath(home).catch(() => undefined)

/** Files that match one of the paths, most recently changed first. */
export const findFiles = async (
  walk: Walk,
  paths: ReadonlyArray<ReadonlyArray<string | RegExp>>,
  isWanted: (name: string) => boolean = () => true
): Promise<ReadonlyArray<FoundFile>> => {
  const found: Array<string> = []
  for (const patterns of paths) {
    let level: ReadonlyArray<string> = [walk.home]
    for (const pattern of patterns) {
      level = (await mapSome(level, walk.signal, (directory) => stepDown(walk, directory, pattern))).flat()
    }
    found.push(...level.filter((path) => isWanted(path.slice(path.lastIndexOf(sep) + 1))))
  }
  if (found.length > mostFiles)
    walk.skip({ path: walk.home, problem: `has more than ${mostFiles} sessions: not all were looked at` })
  const files = await mapSome([...new Set(found)].slice(0, mostFiles), walk.signal, (path) => fileAt(walk, path))
  return files.filter((file) => file !== undefined).sort((a, b) => b.modifiedAt - a.modifiedAt)
}
