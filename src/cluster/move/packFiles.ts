/**
 * Reads the files of a session below the root of its CLI, for a move: only regular files of this user, and nothing outside of
 * the root. Refuses a file that changes meanwhile.
 */
import { lstat, readdir } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import { clis } from "../../cli/clis.ts"
import { parsed } from "../../cli/jsonFields.ts"
import { findIn, type OpenStore, openStore } from "../../cli/stored/find.ts"
import type { FoundFile } from "../../cli/stored/walk.ts"
import { codeOf } from "../../contract/errors/system.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"
import { limits, type MovableCli, notMoved, type PackedFile } from "./packed.ts"
import { sessionFiles, slugOf } from "./sessionFiles.ts"

interface PackOptions {
  readonly cli: MovableCli
  readonly sessionId: string
  /** The working directory at the old home. */
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Limit of forks of forks. */
const mostBases = 16
/** Limit of directories below the folder of a session. */
const mostDepth = 4
const tooLarge = () => notMoved(`the session is larger than ${limits.totalBytes / 1024 / 1024} MiB`)
const tooMany = () => notMoved(`the session has more than ${limits.files} files`)

const isSame = (one: { readonly size: bigint; readonly mtimeNs: bigint }, other: typeof one) =>
  one.size === other.size && one.mtimeNs === other.mtimeNs

const read = async (path: string, most: number): Promise<Uint8Array> => {
  const reading = await readRegular(path, most, readFlags.notFollowing)
  if (reading._tag === "TooLarge") throw tooLarge()
  if (reading._tag === "NotRegular") throw notMoved("a file of the session is not a regular file")
  const uid = process.getuid?.()
  if (uid !== undefined && Number(reading.info.uid) !== uid) {
    throw notMoved("a file of the session belongs to another user")
  }
  if (!isSame(reading.info, await lstat(path, { bigint: true }))) {
    throw notMoved("the session is being written to")
  }
  return reading.bytes
}

/** The file in which the CLI continues a session that has several. */
const ownOf = (cli: MovableCli, files: ReadonlyArray<FoundFile>, directory: string): FoundFile | undefined => {
  const newest = files.toSorted((a, b) => b.modifiedAt - a.modifiedAt)
  const isPlaced = ({ path }: FoundFile) => cli === "claude" && dirname(path).endsWith(`${sep}${slugOf(directory)}`)
  return newest.find(isPlaced) ?? newest[0]
}

/** Regular files below a directory; links are left out. */
const below = async (directory: string, depth = mostDepth): Promise<ReadonlyArray<string>> => {
  if (depth === 0) return []
  const entries = await readdir(directory, { withFileTypes: true }).catch((cause) => {
    if (codeOf(cause) === "ENOENT") return []
    throw cause
  })
  const found: Array<string> = []
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (entry.isFile()) found.push(path)
    if (entry.isDirectory()) found.push(...(await below(path, depth - 1)))
    if (found.length > limits.files) throw tooMany()
  }
  return found
}

const firstLineOf = (bytes: Uint8Array) => {
  const end = bytes.indexOf(10)
  return parsed(new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end)))
}

/** The files from which it was forked, the nearest first. */
const basesOf = async (store: OpenStore, own: Uint8Array, readFile: (path: string) => Promise<Uint8Array>) => {
  const paths: Array<string> = []
  let base = store.stored.files?.baseOf?.(firstLineOf(own))
  while (base !== undefined) {
    if (paths.length === mostBases) throw tooMany()
    const file = (await findIn(store, base.sessionId, true))?.files.at(-1)
    if (file === undefined) throw notMoved("the session is a fork of one that its CLI no longer has")
    if (paths.includes(file.path)) break
    paths.push(file.path)
    base = store.stored.files?.baseOf?.(firstLineOf(await readFile(file.path)))
  }
  return paths
}

export const packFiles = async (
  { cli, sessionId, directory, env }: PackOptions,
  signal: AbortSignal
): Promise<ReadonlyArray<PackedFile>> => {
  const store = await openStore({ cli: clis[cli], env }, signal)
  const found = store && (await findIn(store, sessionId))
  const own = found && ownOf(cli, found.files, directory)
  if (store === undefined || own === undefined) throw notMoved("its CLI no longer has the session")
  const root = store.walk.home
  const files = new Map<string, PackedFile>()
  let left: number = limits.totalBytes
  const take = async (path: string): Promise<Uint8Array> => {
    const name = relative(root, path).split(sep).join("/")
    const known = files.get(name)
    if (known !== undefined) return known.bytes
    if (files.size === limits.files) throw tooMany()
    signal.throwIfAborted()
    const bytes = await read(path, left)
    left -= bytes.length
    files.set(name, { path: name, bytes })
    return bytes
  }
  const bytes = await take(own.path)
  await basesOf(store, bytes, take)
  const { roleOf } = sessionFiles[cli]
  for (const path of await below(join(dirname(own.path), sessionId))) {
    if (roleOf(relative(root, path).split(sep).join("/"), sessionId) === "part") await take(path)
  }
  return [...files.values()]
}
