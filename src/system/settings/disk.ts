/** All file system calls of `settings/`, with `wholeFile.ts`. None follows a link, unlike Effect's `FileSystem`. */
import { constants } from "node:fs"
import { link, mkdir, open, readdir, readlink, realpath, rename, rmdir, unlink } from "node:fs/promises"
import { join } from "node:path"
import { Context, Effect, Predicate, type Scope } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { Host } from "../process/host.ts"
import { readFlags } from "../process/regularFile.ts"
import {
  createWhole,
  DiskRefused,
  type FileContent,
  lstatBig,
  type NewFile,
  notFile,
  readWhole,
  type Stat,
  statOf
} from "./wholeFile.ts"

type Refused<A> = Effect.Effect<A, DiskRefused>

export interface OpenDirectory {
  readonly stat: Stat
  /** The path of a name in it. */
  readonly at: (name: string) => string
  /** True if paths stay in this directory even when its own path is replaced: on Linux, by its handle. */
  readonly isPinned: boolean
}

export interface Disk {
  readonly realPath: (path: string) => Refused<string>
  /** Undefined where it does not exist. Refuses a link. */
  readonly openDirectory: (path: string) => Effect.Effect<OpenDirectory | undefined, DiskRefused, Scope.Scope>
  /** Does not follow a link; undefined where the path does not exist. */
  readonly stat: (path: string) => Refused<Stat | undefined>
  readonly readLink: (path: string) => Refused<string>
  /** A regular file up to `limit` bytes; undefined where it does not exist. Does not wait for a FIFO or a device. */
  readonly read: (path: string, limit: number) => Refused<FileContent | undefined>
  /** Fails where the path exists. */
  readonly create: (path: string, bytes: Uint8Array, file: NewFile) => Refused<void>
  readonly link: (from: string, to: string) => Refused<void>
  readonly rename: (from: string, to: string) => Refused<void>
  /** Removes a file or link; returns false if it was missing. */
  readonly remove: (path: string) => Refused<boolean>
  readonly makeDirectory: (path: string, mode: number) => Refused<"made" | "there">
  /** Removes a directory if it is empty. */
  readonly removeEmpty: (path: string) => Refused<"gone" | "in use">
  readonly list: (path: string) => Refused<ReadonlyArray<string>>
}

const refusedBy = (cause: unknown) => {
  if (cause instanceof DiskRefused) return cause
  const code = codeOf(cause) ?? (Predicate.hasProperty(cause, "code") ? String(cause.code) : "unknown")
  return new DiskRefused({ code, problem: explain(code) })
}

const call = <A>(run: () => Promise<A>): Refused<A> => Effect.tryPromise({ try: run, catch: refusedBy })

/** The answer replaces failures with one of these codes. */
const callOr = <A, B>(run: () => Promise<A>, codes: ReadonlyArray<string>, answer: B): Refused<A | B> =>
  Effect.catchIf(
    call(run),
    ({ code }) => codes.includes(code),
    () => Effect.succeed(answer)
  )

const lookUp: Disk["stat"] = (path) => callOr(async () => statOf(await lstatBig(path)), ["ENOENT"], undefined)

/** Opening a link fails with ENOTDIR, too. */
const directoryFlags = readFlags.notFollowing | (constants.O_DIRECTORY ?? 0)

/** Undefined where `/proc/self/fd/N/name` does not work: `/proc` may belong to another pid namespace. */
const throughHandle = async (path: string) => {
  const handle = await open(path, directoryFlags)
  const base = `/proc/self/fd/${handle.fd}`
  const stat = statOf(await handle.stat({ bigint: true }))
  const status = await lstatBig(`${base}/.`).catch(() => undefined)
  if (status !== undefined && statOf(status).identity === stat.identity) {
    return { stat, at: (name: string) => `${base}/${name}`, isPinned: true, close: () => handle.close() }
  }
  await handle.close()
  return undefined
}

const openDirectory: Disk["openDirectory"] = (path) =>
  Effect.gen(function* () {
    const { platform } = yield* Host
    const opened = yield* Effect.acquireRelease(
      call(async () => (platform === "linux" ? throughHandle(path) : undefined)),
      (directory) => Effect.promise(async () => directory?.close())
    )
    if (opened !== undefined) return opened
    const stat = yield* lookUp(path)
    if (stat === undefined) return undefined
    if (stat.kind !== "directory") return yield* notDirectory(stat)
    const directory: OpenDirectory = { stat, at: (name) => join(path, name), isPinned: false }
    return directory
  }).pipe(
    Effect.catchIf(
      ({ code }) => code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP",
      (error) =>
        Effect.flatMap(lookUp(path), (stat) => {
          if (stat === undefined) return Effect.succeed(undefined)
          return stat.kind === "directory" ? Effect.fail(error) : notDirectory(stat)
        })
    )
  )

const notDirectory = ({ kind }: Stat) =>
  new DiskRefused({ code: "no directory", problem: kind === "link" ? "is a link" : "is not a directory" })

export const nodeDisk: Disk = {
  realPath: (path) => call(() => realpath(path)),
  openDirectory,
  stat: lookUp,
  readLink: (path) => call(() => readlink(path)),
  read: (path, limit) =>
    Effect.gen(function* () {
      // Checked before it is opened: opening a device can have side effects.
      const stat = yield* lookUp(path)
      if (stat === undefined) return undefined
      if (stat.kind !== "file") return yield* notFile
      return yield* callOr(() => readWhole(path, limit), ["ENOENT"], undefined)
    }),
  create: (path, bytes, file) => call(() => createWhole(path, bytes, file)),
  link: (from, to) => call(() => link(from, to)),
  rename: (from, to) => call(() => rename(from, to)),
  remove: (path) => callOr(() => unlink(path).then(() => true), ["ENOENT"], false),
  makeDirectory: (path, mode) =>
    callOr(() => mkdir(path, { mode }).then(() => "made" as const), ["EEXIST"], "there" as const),
  removeEmpty: (path) =>
    Effect.catchIf(
      callOr(() => rmdir(path).then(() => "gone" as const), ["ENOTEMPTY", "EEXIST"], "in use" as const),
      ({ code }) => code === "ENOENT",
      () => Effect.succeed("gone" as const)
    ),
  list: (path) => callOr(() => readdir(path), ["ENOENT"], [])
}

export const SettingsDisk = Context.Reference<Disk>("reins/SettingsDisk", { defaultValue: () => nodeDisk })
