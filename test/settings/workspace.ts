/** A directory with a settings file on the real disk, and processes that are made up: each can die. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Exit, type FileSystem, Latch, Option, Scope } from "effect"
import { readDocument } from "../../src/settings/document.ts"
import { type Host, HostProcess } from "../../src/settings/host.ts"
import { type LeaseOptions, leaseSettings } from "../../src/settings/lease.ts"
import type { Patch } from "../../src/settings/merge.ts"
import { recoverSettings } from "../../src/settings/recover.ts"
import { modeOf } from "../kit/files.ts"

export const path = [".agent", "settings.json"]

export interface Before {
  /** Undefined for a file that is missing; null for a directory that is missing as well. */
  readonly text: string | undefined | null
  readonly mode?: number
}

export interface Workspace {
  readonly directory: string
  readonly file: string
  readonly before: Before
}

const makeWorkspace = (before: Before): Workspace => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "settings-")))
  const file = join(directory, ...path)
  if (before.text !== null) mkdirSync(dirname(file))
  if (typeof before.text === "string") {
    writeFileSync(file, before.text)
    chmodSync(file, before.mode ?? 0o644)
  }
  return { directory, file, before }
}

const removeWorkspace = ({ directory }: Workspace) => rmSync(directory, { recursive: true, force: true })

/** For the length of a test. */
export const workspace = (before: Before) =>
  Effect.acquireRelease(
    Effect.sync(() => makeWorkspace(before)),
    (made) => Effect.sync(() => removeWorkspace(made))
  )

/** For the length of one case of a property. */
export const inWorkspace = <A, E, R>(before: Before, work: (given: Workspace) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => makeWorkspace(before)),
    work,
    (given) => Effect.sync(() => removeWorkspace(given))
  )

/** Everything in the directory: nothing but what was there may be left. */
export const namesBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true }).map(String).sort()

const namesBefore = ({ before }: Workspace) => {
  const [folder = "", name = ""] = path
  if (before.text === null) return []
  return before.text === undefined ? [folder] : [folder, join(folder, name)]
}

/** The user's file is as it was, and nothing stands beside it. */
export const assertAsBefore = (given: Workspace, text = given.before.text, mode = given.before.mode ?? 0o644) => {
  assert.deepStrictEqual(namesBelow(given.directory), namesBefore({ ...given, before: { text } }))
  if (typeof text !== "string") return
  assert.strictEqual(readFileSync(given.file, "utf8"), text)
  assert.strictEqual(modeOf(given.file).toString(8), mode.toString(8))
}

export const inodeOf = (file: string) => (existsSync(file) ? lstatSync(file).ino : undefined)

/** What a reader gets who knows comments. */
export const readSettings = (file: string) =>
  JSON.parse(Option.getOrThrow(readDocument(readFileSync(file, "utf8"))).plain)

export const serverOf = (name: string): Patch => ({ servers: { [name]: { command: name } } })

export const assertHas = ({ file }: Workspace, patch: Patch) => {
  for (const [section, members] of Object.entries(patch)) {
    for (const [name, value] of Object.entries(members)) {
      assert.deepStrictEqual(readSettings(file)[section]?.[name], value, `${section}.${name}`)
    }
  }
}

/** Runs that can hold the file at the same time. */
const runs = [
  { patch: serverOf("a"), secret: false },
  { patch: { servers: { b: { url: "b" }, "": null }, other: { b: 1 } }, secret: true },
  // What the first defines too, in the same way.
  { patch: { servers: { ...serverOf("a")["servers"], c: [1, 2] } }, secret: false }
] as const

export const runOf = (index: number) => runs[index % runs.length] ?? runs[0]

/** A table of processes of which none is real. */
export const makeProcesses = () => {
  const living = new Set<string>()
  let last = 100
  const key = ({ pid, start }: { readonly pid: number; readonly start: string }) => `${pid} ${start}`
  return {
    start: (pid?: number, start = "1"): Host => {
      last += 1
      const self = { pid: pid ?? last, start }
      living.add(key(self))
      return { self, isAlive: (owner) => living.has(key(owner)), gates: new Map() }
    },
    kill: ({ self }: Host) => {
      living.delete(key(self))
    },
    revive: (host: Host): Host => {
      living.add(key(host.self))
      return host
    }
  }
}

const asProcess = (host: Host) => Effect.provideService(HostProcess, host)

export interface Held {
  readonly giveBack: Effect.Effect<void>
  readonly end: Effect.Effect<void>
}

/** A lease whose scope the test closes. */
export const take = (given: Workspace, host: Host, patch: Patch, options: Partial<LeaseOptions> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { giveBack } = yield* leaseSettings({
      directory: given.directory,
      path,
      patch,
      secret: false,
      patience: "10 seconds",
      ...options
    }).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    const held: Held = { giveBack, end: Scope.close(scope, Exit.void) }
    return held
  }).pipe(asProcess(host))

export const recover = (given: Workspace, host: Host) => asProcess(host)(recoverSettings(given.directory, path))

/** The file system of a process, and a signal for when it has read its journal `times` times. */
export const watchedReads = (fs: FileSystem.FileSystem, times: number) => {
  const reached = Latch.makeUnsafe()
  let reads = 0
  const watched: FileSystem.FileSystem = {
    ...fs,
    readFileString: (file, encoding) =>
      Effect.suspend(() => {
        reads += 1
        if (reads === times) reached.openUnsafe()
        return fs.readFileString(file, encoding)
      })
  }
  return { fs: watched, reached: reached.await }
}
