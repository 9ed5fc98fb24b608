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
import { Effect, Exit, Latch, Option, Scope } from "effect"
import { assert } from "vitest"
import { FileLocks } from "../../../src/system/locks/fileLocks.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { type Disk, nodeDisk } from "../../../src/system/settings/disk.ts"
import { readDocument } from "../../../src/system/settings/document.ts"
import { type LeaseOptions, leaseSettings } from "../../../src/system/settings/lease.ts"
import type { Patch } from "../../../src/system/settings/merge.ts"
import { recoverSettings } from "../../../src/system/settings/recover.ts"
import { modeOf } from "../../kit/files.ts"

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
  /** Id of the user who runs hosts in it. */
  readonly state: string
}

const makeWorkspace = (before: Before): Workspace => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "settings-")))
  const state = realpathSync(mkdtempSync(join(tmpdir(), "state-")))
  const file = join(directory, ...path)
  if (before.text !== null) mkdirSync(dirname(file))
  if (typeof before.text === "string") {
    writeFileSync(file, before.text)
    chmodSync(file, before.mode ?? 0o644)
  }
  return { directory, file, before, state }
}

const removeWorkspace = ({ directory, state }: Workspace) => {
  for (const each of [directory, state]) rmSync(each, { recursive: true, force: true })
}

export const environmentOf = ({ state }: Workspace) => ({ ...process.env, XDG_STATE_HOME: state })

/** Journals, the user's own files and locks of runs. The locks of directories stay, and empty. */
export const keptIn = ({ state }: Workspace): ReadonlyArray<string> =>
  readdirSync(state, { recursive: true })
    .map(String)
    .filter((name) => /settings\/|claim-/.test(name))
    .sort()

/** Path of the only journal. */
export const journalOf = (input: Workspace) => {
  const name = keptIn(input).find((each) => each.endsWith("journal.json"))
  return name === undefined ? assert.fail("the journal is missing") : join(input.state, name)
}

/** For the length of a test. */
export const workspace = (before: Before) =>
  Effect.acquireRelease(
    Effect.sync(() => makeWorkspace(before)),
    (made) => Effect.sync(() => removeWorkspace(made))
  )

/** For the length of one case of a property. */
export const inWorkspace = <A, E, R>(before: Before, work: (input: Workspace) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => makeWorkspace(before)),
    work,
    (input) => Effect.sync(() => removeWorkspace(input))
  )

/** Everything in the directory: nothing but what was there may be left. */
export const namesBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true }).map(String).sort()

const namesBefore = ({ before }: Workspace) => {
  const [folder = "", name = ""] = path
  if (before.text === null) return []
  return before.text === undefined ? [folder] : [folder, join(folder, name)]
}

/** The user's file is as it was, nothing stands beside it, and nothing is kept of it. */
export const assertAsBefore = (input: Workspace, text = input.before.text, mode = input.before.mode ?? 0o644) => {
  assert.deepStrictEqual(keptIn(input), [])
  assert.deepStrictEqual(namesBelow(input.directory), namesBefore({ ...input, before: { text } }))
  if (typeof text !== "string") return
  assert.strictEqual(readFileSync(input.file, "utf8"), text)
  assert.strictEqual(modeOf(input.file).toString(8), mode.toString(8))
}

export const inodeOf = (file: string) => (existsSync(file) ? lstatSync(file).ino : undefined)

/** The value for a reader that knows comments. */
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
  // Defined by the first in the same way.
  { patch: { servers: { ...serverOf("a")["servers"], c: [1, 2] } }, secret: false }
] as const

export const runOf = (index: number) => runs[index % runs.length] ?? runs[0]

/** A process that is not real: it holds what it has locked until it is killed. */
export interface Host {
  readonly name: string
  isAlive: boolean
  readonly locks: FileLocks
}

/** A table of them, and of what they have locked. */
export const makeProcesses = () => {
  const holders = new Map<string, { readonly host: Host }>()
  let last = 100
  const lockFor = (host: () => Host) => (file: string) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          if (holders.get(file)?.host.isAlive === true) return undefined
          if (!existsSync(file)) writeFileSync(file, "", { flag: "wx" })
          const taken = { host: host() }
          holders.set(file, taken)
          return taken
        }),
        (taken) =>
          Effect.sync(() => {
            if (taken !== undefined && holders.get(file) === taken) holders.delete(file)
          })
      ),
      (taken) => taken !== undefined
    )
  return {
    start: (): Host => {
      last += 1
      const locks: FileLocks = { tryLock: lockFor(() => host), missing: Effect.succeed(undefined), gates: new Map() }
      const host: Host = { name: `${last}`, isAlive: true, locks }
      return host
    },
    kill: (host: Host) => {
      host.isAlive = false
    },
    revive: (host: Host): Host => {
      host.isAlive = true
      return host
    }
  }
}

const asProcess =
  (input: Workspace, host: Host) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    self.pipe(
      Effect.provideService(FileLocks, host.locks),
      Effect.provideService(HostEnvironment, environmentOf(input))
    )

/** As this process does it, with the workspace's state directory. */
export const inStateOf =
  (input: Workspace) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.provideService(self, HostEnvironment, environmentOf(input))

export interface Held {
  readonly release: Effect.Effect<void>
  readonly end: Effect.Effect<void>
}

/** A lease whose scope the test closes. */
export const take = (input: Workspace, host: Host, patch: Patch, options: Partial<LeaseOptions> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { release } = yield* leaseSettings({
      directory: input.directory,
      path,
      patch,
      secret: false,
      patience: "10 seconds",
      ...options
    }).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    const held: Held = { release, end: Scope.close(scope, Exit.void) }
    return held
  }).pipe(asProcess(input, host))

export const recover = (input: Workspace, host: Host) => asProcess(input, host)(recoverSettings(input.directory, path))

/** The disk of a process, the number of times it has read its journal, and a signal for when that is `times`. */
export const watchedReads = (times: number) => {
  const reached = Latch.makeUnsafe()
  let reads = 0
  const disk: Disk = {
    ...nodeDisk,
    read: (file, limit) =>
      Effect.suspend(() => {
        if (file.endsWith("journal.json")) reads += 1
        if (reads === times) reached.openUnsafe()
        return nodeDisk.read(file, limit)
      })
  }
  return { disk, reached: reached.await, reads: () => reads }
}
