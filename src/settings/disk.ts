/**
 * Every call to the system that this room makes, with `wholeFile.ts`; none follows a link. (`FileSystem` of Effect can
 * neither refuse links nor tell one inode from another.) Tests put others in their place: those that die, refuse or
 * change what is there.
 */
import { constants } from "node:fs"
import { link, mkdir, open, readdir, readlink, realpath, rename, rmdir, unlink } from "node:fs/promises"
import { join } from "node:path"
import { Context, Effect, Predicate, type Scope } from "effect"
import { codeOf, explain } from "../errors/system.ts"
import {
  createWhole,
  DiskRefused,
  type FileContent,
  lstatBig,
  type NewFile,
  notFile,
  readFlags,
  readWhole,
  type Stat,
  statOf
} from "./wholeFile.ts"

type Refused<A> = Effect.Effect<A, DiskRefused>

/** A directory that was opened: its names lead into it and nowhere else, whatever becomes of its path. */
export interface OpenDirectory {
  readonly stat: Stat
  /** The path of a name in it. Only on Linux does it stay in this directory when the directory is replaced. */
  readonly at: (name: string) => string
}

export interface Disk {
  readonly realPath: (path: string) => Refused<string>
  /** Undefined where there is nothing. Refuses a link. */
  readonly openDirectory: (path: string) => Effect.Effect<OpenDirectory | undefined, DiskRefused, Scope.Scope>
  /** Of the name itself, not of what it links to; undefined where there is nothing. */
  readonly look: (path: string) => Refused<Stat | undefined>
  readonly readLink: (path: string) => Refused<string>
  /** A regular file up to `limit` bytes; undefined where there is nothing. Waits for no FIFO and no device. */
  readonly read: (path: string, limit: number) => Refused<FileContent | undefined>
  /** Fails where there is something already. */
  readonly create: (path: string, bytes: Uint8Array, file: NewFile) => Refused<void>
  readonly link: (from: string, to: string) => Refused<void>
  readonly rename: (from: string, to: string) => Refused<void>
  /** A file or link; whether there was one. */
  readonly remove: (path: string) => Refused<boolean>
  readonly makeDirectory: (path: string, mode: number) => Refused<"made" | "there">
  /** Only an empty one goes. */
  readonly removeEmpty: (path: string) => Refused<"gone" | "in use">
  readonly list: (path: string) => Refused<ReadonlyArray<string>>
}

const refusedBy = (cause: unknown) => {
  if (cause instanceof DiskRefused) return cause
  const code = codeOf(cause) ?? (Predicate.hasProperty(cause, "code") ? String(cause.code) : "unknown")
  return new DiskRefused({ code, problem: explain(code) })
}

const call = <A>(run: () => Promise<A>): Refused<A> => Effect.tryPromise({ try: run, catch: refusedBy })

/** Where the system says one of these codes, it is an answer. */
const answered = <A, B>(self: Refused<A>, codes: ReadonlyArray<string>, answer: B): Refused<A | B> =>
  Effect.catchIf(
    self,
    ({ code }) => codes.includes(code),
    () => Effect.succeed(answer)
  )

const look: Disk["look"] = (path) =>
  answered(
    call(async () => statOf(await lstatBig(path))),
    ["ENOENT"],
    undefined
  )

/** Fails with ENOTDIR for a link, too. */
const directoryFlags = readFlags | (constants.O_DIRECTORY ?? 0)

/** Whether names in `/proc/self/fd/N` lead into the opened directory: not where another pid namespace's /proc is. */
let canUseHandles: boolean | undefined

const throughHandle = async (path: string) => {
  if (process.platform !== "linux" || canUseHandles === false) return undefined
  const handle = await open(path, directoryFlags)
  const base = `/proc/self/fd/${handle.fd}`
  const stat = statOf(await handle.stat({ bigint: true }))
  if (canUseHandles === undefined) {
    const seen = await lstatBig(`${base}/.`).catch(() => undefined)
    canUseHandles = seen !== undefined && statOf(seen).identity === stat.identity
  }
  if (canUseHandles) return { stat, at: (name: string) => `${base}/${name}`, close: () => handle.close() }
  await handle.close()
  return undefined
}

const openDirectory: Disk["openDirectory"] = (path) =>
  Effect.gen(function* () {
    const opened = yield* Effect.acquireRelease(
      call(() => throughHandle(path)),
      (directory) => Effect.promise(async () => directory?.close())
    )
    if (opened !== undefined) return opened
    const stat = yield* look(path)
    if (stat === undefined) return undefined
    if (stat.kind !== "directory") return yield* notDirectory(stat)
    const directory: OpenDirectory = { stat, at: (name) => join(path, name) }
    return directory
  }).pipe(
    Effect.catchIf(
      ({ code }) => code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP",
      (error) =>
        Effect.flatMap(look(path), (stat) => {
          if (stat === undefined) return Effect.succeed(undefined)
          return stat.kind === "directory" ? Effect.fail(error) : notDirectory(stat)
        })
    )
  )

const notDirectory = ({ kind }: Stat) =>
  new DiskRefused({ code: "no directory", problem: kind === "link" ? "is a link" : "is no directory" })

export const nodeDisk: Disk = {
  realPath: (path) => call(() => realpath(path)),
  openDirectory,
  look,
  readLink: (path) => call(() => readlink(path)),
  read: (path, limit) =>
    Effect.gen(function* () {
      // Before it is opened: to open a device can have effects.
      const stat = yield* look(path)
      if (stat === undefined) return undefined
      if (stat.kind !== "file") return yield* notFile
      return yield* answered(
        call(() => readWhole(path, limit)),
        ["ENOENT"],
        undefined
      )
    }),
  create: (path, bytes, file) => call(() => createWhole(path, bytes, file)),
  link: (from, to) => call(() => link(from, to)),
  rename: (from, to) => call(() => rename(from, to)),
  remove: (path) =>
    answered(
      Effect.as(
        call(() => unlink(path)),
        true
      ),
      ["ENOENT"],
      false
    ),
  makeDirectory: (path, mode) =>
    answered(
      Effect.as(
        call(() => mkdir(path, { mode })),
        "made" as const
      ),
      ["EEXIST"],
      "there" as const
    ),
  removeEmpty: (path) =>
    answered(
      answered(
        Effect.as(
          call(() => rmdir(path)),
          "gone" as const
        ),
        ["ENOENT"],
        "gone" as const
      ),
      ["ENOTEMPTY", "EEXIST"],
      "in use" as const
    ),
  list: (path) =>
    answered(
      call(() => readdir(path)),
      ["ENOENT"],
      []
    )
}

export const SettingsDisk = Context.Reference<Disk>("reins/SettingsDisk", { defaultValue: () => nodeDisk })
