/** The most recent of the sessions that a CLI keeps by itself, or one by its id. Writes nothing and never fails. */
import { type FileHandle, open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { homeOf } from "../../system/process/homeDirectory.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"
import type { Cli } from "../Cli.ts"
import type { Stored, StoredFile, StoredFiles, StoredReading } from "../Stored.ts"
import { checked, joined, type KnownSession } from "./checked.ts"
import { newestRows, rowOf } from "./rows.ts"
import { type FoundFile, findFiles, mapSome, realHome, type Skipped, type Walk, wordsOf } from "./walk.ts"

const endBytes = 64 * 1024
/** One turn of a CLI takes up to 140 KB. */
const wholeBytes = 3 * endBytes
/** Longest file that names a directory. */
const besideBytes = 16 * 1024

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const piece = async (handle: FileHandle, from: number, length: number): Promise<Uint8Array> => {
  const buffer = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** From the first whole line on. */
const fromLine = (tail: string) => tail.slice(tail.indexOf("\n") + 1 || tail.length)

const besideOf = async (file: string, names: ReadonlyArray<string>): Promise<string | undefined> => {
  const path = join(dirname(file), ...names)
  const reading = await readRegular(path, besideBytes, readFlags.notFollowing).catch(() => undefined)
  return reading?._tag === "Read" ? text(reading.bytes) : undefined
}

/** Both ends of a file, or the reason why it cannot be read. Never waits, whatever the file is. */
export const readEnds = async (
  { path, name }: FoundFile,
  beside: ReadonlyArray<string> | undefined
): Promise<StoredFile | string> => {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, readFlags.notFollowing)
    const info = await handle.stat()
    if (!info.isFile()) return "is not a regular file"
    if (info.size === 0) return "is empty"
    const isWhole = info.size <= wholeBytes
    const head = text(await piece(handle, 0, isWhole ? info.size : endBytes))
    const tail = isWhole ? "" : fromLine(text(await piece(handle, info.size - endBytes, endBytes)))
    return { name, head, tail, isWhole, beside: beside && (await besideOf(path, beside)) }
  } catch (cause) {
    return wordsOf(cause)
  } finally {
    await handle?.close()
  }
}

/** A CLI, and the environment that it would be started with. */
export interface StoreOf {
  readonly cli: Pick<Cli, "id" | "stored">
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Found {
  readonly sessions: ReadonlyArray<KnownSession>
  readonly skipped: ReadonlyArray<Skipped>
}

/** A session and its files, the oldest first; none if it is in a database. */
export interface FoundSession {
  readonly session: KnownSession
  readonly files: ReadonlyArray<FoundFile>
  /** Where it can be resumed, as far as known; one id can have several. */
  readonly directories: ReadonlyArray<string>
}

export interface OpenStore {
  readonly stored: Stored
  readonly walk: Walk
  readonly skipped: ReadonlyArray<Skipped>
}

const mostSkipped = 50

/** Undefined if the CLI's files are unknown, or it has not been used. */
export const openStore = async ({ cli, env }: StoreOf, signal: AbortSignal): Promise<OpenStore | undefined> => {
  if (cli.stored === undefined) return undefined
  const stored = await cli.stored()
  const known = { ...env, HOME: env["HOME"] || (homeOf(env) ?? "/") }
  const home = await realHome(stored.home(known))
  if (home === undefined) return undefined
  const skipped: Array<Skipped> = []
  const skip = (one: Skipped) => {
    if (skipped.length < mostSkipped) skipped.push(one)
  }
  return { stored, walk: { home, env: known, skip, signal }, skipped }
}

/** An application's own CLI may fail at a file. */
const attempt = (read: () => StoredReading): StoredReading => {
  try {
    return read()
  } catch (cause) {
    return wordsOf(cause)
  }
}

const readFile = async (
  { skip }: Walk,
  { beside, read }: StoredFiles,
  file: FoundFile
): Promise<KnownSession | undefined> => {
  const leave = (problem: string) => {
    skip({ path: file.path, problem })
    return undefined
  }
  const ends = await readEnds(file, beside)
  if (typeof ends === "string") return leave(ends)
  const reading = attempt(() => read(ends))
  if (reading === undefined) return undefined
  if (typeof reading === "string") return leave(reading)
  return checked(reading, file.modifiedAt) ?? leave("has an id that cannot be used")
}

const byId = (sessions: ReadonlyArray<KnownSession | undefined>): ReadonlyMap<string, KnownSession> => {
  const known = new Map<string, KnownSession>()
  for (const session of sessions) {
    if (session === undefined) continue
    const other = known.get(session.sessionId)
    known.set(session.sessionId, other === undefined ? session : joined(other, session))
  }
  return known
}

/** The index has the name that a session was given later. */
const indexed = (session: KnownSession, index: KnownSession | undefined): KnownSession =>
  index === undefined
    ? session
    : { ...session, title: index.title ?? session.title, isArchived: index.isArchived || session.isArchived }

const ofFiles = async (walk: Walk, { files, database }: Stored, limit: number) => {
  if (files === undefined) return []
  const newest = (await findFiles(walk, files.paths)).slice(0, limit)
  const index = byId((database && (await newestRows(walk, database, limit))) ?? [])
  const read = await mapSome(newest, walk.signal, (file) => readFile(walk, files, file))
  return [...byId(read).values()].map((session) => indexed(session, index.get(session.sessionId)))
}

/** The most recently used sessions, and the files that were left out. */
export const findNewest = async (store: StoreOf, limit: number, signal: AbortSignal): Promise<Found> => {
  const open = await openStore(store, signal)
  if (open === undefined) return { sessions: [], skipped: [] }
  const { stored, walk, skipped } = open
  const { files, database } = stored
  const found =
    files === undefined && database !== undefined
      ? ((await newestRows(walk, database, limit)) ?? [])
      : await ofFiles(walk, stored, limit)
  if (signal.aborted) walk.skip({ path: walk.home, problem: "took too long: not all of it was read" })
  return { sessions: found.toSorted((a, b) => b.usedAt - a.usedAt), skipped }
}

/** The files that hold the session. */
const filesOf = async (walk: Walk, files: StoredFiles, sessionId: string): Promise<FoundSession | undefined> => {
  const found = await findFiles(walk, files.paths, (name) => files.isOf(name, sessionId))
  const read = await mapSome(found, walk.signal, async (file) => ({ file, session: await readFile(walk, files, file) }))
  const own = read.filter(({ session }) => session?.sessionId === sessionId)
  const session = byId(own.map((one) => one.session)).get(sessionId)
  const directories = [...new Set(own.flatMap((one) => one.session?.directory ?? []))]
  const inOrder = own.map(({ file }) => file).sort((a, b) => (a.name < b.name ? -1 : 1))
  return session && { session, files: inOrder, directories }
}

/** `quick`: for facts of a session that never change, such as its directory. */
export const findIn = async (
  { stored, walk }: OpenStore,
  sessionId: string,
  quick = false
): Promise<FoundSession | undefined> => {
  const { files, database } = stored
  const row = database && !(quick && files) ? await rowOf(walk, database, sessionId, quick) : undefined
  if (files === undefined) {
    return row && { session: row, files: [], directories: row.directory === undefined ? [] : [row.directory] }
  }
  const found = await filesOf(walk, files, sessionId)
  return found && { ...found, session: indexed(found.session, row) }
}

export const findStored = async (
  store: StoreOf,
  sessionId: string,
  signal: AbortSignal,
  quick = false
): Promise<FoundSession | undefined> => {
  const open = await openStore(store, signal)
  return open && (await findIn(open, sessionId, quick))
}
