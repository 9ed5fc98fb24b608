/**
 * Applies changes to the working tree of a person: all or none, never over uncommitted changes, and never to the index. The
 * new files are made beside the repository's data and renamed into place; what a killed host has left is finished by the
 * next call.
 */
import type { Stats } from "node:fs"
import { copyFile, lstat, mkdir, open, readdir, readFile, readlink, rename, rm, rmdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { codeOf } from "../../contract/errors/system.ts"
import { untraced } from "../../contract/untraced.ts"
import { holdLock } from "../locks/fileLocks.ts"
import { GitFailed, type GitPlace, git, type Repository } from "./git.ts"

/** Files that have changes of their own, from the top of the repository; nothing was written. */
export class FilesChanged extends Schema.TaggedError<FilesChanged>()("FilesChanged", {
  paths: Schema.Array(Schema.String)
}) {}

/** The changes do not fit the last commit. The files were changed there, too; nothing was written. */
export class ChangesConflict extends Schema.TaggedError<ChangesConflict>()("ChangesConflict", {
  paths: Schema.Array(Schema.String)
}) {}

/** In characters. */
const longestList = 256 * 1024 * 1024
const longestPatch = 1024 * 1024 * 1024

/** Files are bytes, and so are their names: each character is one. */
const bytes = { encoding: "latin1", maxLength: longestList } as const

const nameOf = (path: string) => Buffer.from(path, "latin1")
const readable = (path: string) => nameOf(path).toString()
/** Commits of submodules are left out: these are not files. */
const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=all"]
const listOf = (text: string) => text.split("\0").filter((part) => part !== "")

interface Working {
  readonly top: string
  /** The directory of git for this working tree alone. */
  readonly gitDirectory: string
}

const workingOf = Effect.fn(...untraced("ApplyChanges.workingOf"))(function* ({ directory }: Repository) {
  const { stdout } = yield* git({ workingDirectory: directory }, ["rev-parse", "--absolute-git-dir", "--show-toplevel"])
  const [gitDirectory = "", top = ""] = stdout.split("\n")
  const working: Working = { top, gitDirectory }
  return working
})

const stagingOf = ({ gitDirectory }: Working) => join(gitDirectory, "reins-apply")
const planOf = (working: Working) => join(stagingOf(working), "plan.json")

/** Paths of files to write, which lie below `files` of the staging directory, and to delete. `head`: the last commit then. */
const Plan = Schema.Struct({
  head: Schema.String,
  written: Schema.Array(Schema.String),
  deleted: Schema.Array(Schema.String)
})
type Plan = typeof Plan.Type
const decodePlan = Schema.decodeUnknownOption(Schema.fromJsonString(Plan))

const onDisk = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new GitFailed({ problem: `the files cannot be written: ${codeOf(cause) ?? String(cause)}` })
  })

const statOf = (path: Buffer): Promise<Stats | undefined> =>
  lstat(path).catch((cause) => {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined
    throw cause
  })

const pathIn = ({ top }: Working, path: string) => Buffer.concat([Buffer.from(`${top}/`), nameOf(path)])

/** The directories above a path, from the top. */
const above = (path: string) => {
  const names = path.split("/").slice(0, -1)
  return names.map((_, at) => names.slice(0, at + 1).join("/"))
}

/** Whether a parent of the file is neither a directory nor missing: a link could lead out of the repository. */
const isBlocked = async (working: Working, path: string) => {
  for (const parent of above(path)) {
    const info = await statOf(pathIn(working, parent))
    if (info === undefined) return false
    if (!info.isDirectory()) return true
  }
  return false
}

/** Paths with changes that are not committed. */
const changedIn = Effect.fn(...untraced("ApplyChanges.changedIn"))(function* ({ top }: Working) {
  const how = ["--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"]
  const status = yield* git({ workingDirectory: top }, ["status", ...how], bytes)
  if (status.isCut) return yield* new GitFailed({ problem: "git status names too many files" })
  // Entries of `XY path`; without renames none has two paths.
  return new Set(listOf(status.stdout).map((entry) => entry.slice(3)))
})

/** Whether a directory has other files than these. */
const hasOthers = async (directory: Buffer, path: string, those: ReadonlySet<string>): Promise<boolean> => {
  for (const entry of await readdir(directory, { withFileTypes: true, encoding: "buffer" })) {
    const inner = `${path}/${entry.name.toString("latin1")}`
    if (those.has(inner)) continue
    if (!entry.isDirectory()) return true
    if (await hasOthers(Buffer.concat([directory, Buffer.from("/"), entry.name]), inner, those)) return true
  }
  return false
}

/** The files of the plan that stand in its way. */
const inTheWay = Effect.fn(...untraced("ApplyChanges.inTheWay"))(function* (
  working: Working,
  { written, deleted }: Plan,
  added: ReadonlySet<string>
) {
  const changed = yield* changedIn(working)
  const removed = new Set(deleted)
  return yield* onDisk(async () => {
    const conflicts: Array<string> = []
    for (const path of [...written, ...deleted]) {
      const target = pathIn(working, path)
      const info = added.has(path) ? await statOf(target) : undefined
      // A directory that the changes replace by a file is emptied by them.
      const isThere = info !== undefined && !(info.isDirectory() && !(await hasOthers(target, path, removed)))
      // A file that the changes replace by a directory is deleted by them.
      const isReplaced = above(path).some((parent) => removed.has(parent))
      if (changed.has(path) || isThere || (!isReplaced && (await isBlocked(working, path)))) conflicts.push(path)
    }
    return conflicts
  })
})

const move = async (from: Buffer, to: Buffer) => {
  try {
    await rename(from, to)
  } catch (cause) {
    if (codeOf(cause) !== "EXDEV") throw cause
    // The repository's data are on another file system.
    const beside = Buffer.concat([to, Buffer.from(`.reins-${crypto.randomUUID()}`)])
    await copyFile(from, beside)
    await rename(beside, to).finally(() => rm(beside, { force: true }))
    await rm(from)
  }
}

const makeParents = async (working: Working, path: string) => {
  for (const parent of above(path)) {
    await mkdir(pathIn(working, parent)).catch((cause) => {
      if (codeOf(cause) !== "EEXIST") throw cause
    })
  }
}

const removeEmptyParents = async (working: Working, path: string) => {
  for (const parent of above(path).reverse()) {
    const isRemoved = await rmdir(pathIn(working, parent)).then(
      () => true,
      () => false
    )
    if (!isRemoved) return
  }
}

const madeFor = (working: Working, path: string) =>
  Buffer.concat([Buffer.from(`${stagingOf(working)}/files/`), nameOf(path)])

const contentOf = async (path: Buffer) => {
  const info = await statOf(path)
  if (info?.isSymbolicLink()) return `link ${await readlink(path)}`
  if (!info?.isFile()) return undefined
  return `${(info.mode & 0o100) === 0 ? "file" : "program"} ${(await readFile(path)).toString("latin1")}`
}

/** Whether the working tree has this file as the changes make it: they were applied before. */
const isApplied = async (working: Working, { written }: Plan, path: string) => {
  if (await isBlocked(working, path)) return false
  const present = await contentOf(pathIn(working, path))
  if (!written.includes(path)) return present === undefined && (await statOf(pathIn(working, path))) === undefined
  return present !== undefined && present === (await contentOf(madeFor(working, path)))
}

/** Carries the plan out, and leaves `untouched` files as they are. */
const carryOut = async (working: Working, plan: Plan, untouched: ReadonlySet<string>) => {
  for (const path of plan.deleted) {
    if (untouched.has(path) || (await isBlocked(working, path))) continue
    const target = pathIn(working, path)
    const info = await statOf(target)
    if (info === undefined || info.isDirectory()) continue
    await rm(target)
    await removeEmptyParents(working, path)
  }
  for (const path of plan.written) {
    const made = madeFor(working, path)
    if (untouched.has(path) || (await statOf(made)) === undefined || (await isBlocked(working, path))) continue
    await makeParents(working, path)
    await move(made, pathIn(working, path))
  }
  await rm(stagingOf(working), { recursive: true, force: true })
}

const writePlan = async (working: Working, plan: Plan) => {
  const made = `${planOf(working)}.made`
  const handle = await open(made, "wx", 0o600)
  try {
    await handle.writeFile(JSON.stringify(plan))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(made, planOf(working))
}

/** Paths of a commit's files. */
const namesAt = Effect.fn(...untraced("ApplyChanges.namesAt"))(function* (place: GitPlace) {
  const { stdout, isCut } = yield* git(place, ["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"], bytes)
  if (isCut) return yield* new GitFailed({ problem: "the repository has too many files" })
  return new Set(listOf(stdout))
})

/** Finishes what a killed host has begun. Files that a person has changed since are left as they are. */
const finishEarlier = Effect.fn(...untraced("ApplyChanges.finishEarlier"))(function* (working: Working) {
  const text = yield* Effect.option(onDisk(() => readFile(planOf(working), "utf8")))
  const plan = Option.flatMap(text, decodePlan)
  if (Option.isNone(plan)) return yield* onDisk(() => rm(stagingOf(working), { recursive: true, force: true }))
  const place = { workingDirectory: working.top }
  const known = yield* namesAt(place)
  const since = yield* git(place, ["diff", "--name-only", "-z", ...plain, plan.value.head, "HEAD"], bytes)
  const untouched = new Set([...(yield* changedIn(working)), ...listOf(since.stdout)])
  yield* onDisk(async () => {
    for (const path of plan.value.written) {
      if (!known.has(path) && (await statOf(pathIn(working, path))) !== undefined) untouched.add(path)
    }
    await carryOut(working, plan.value, untouched)
  })
})

/** Whether a killed host has left changes that are half applied. */
export const isHalfApplied = Effect.fn(...untraced("ApplyChanges.isHalfApplied"))(function* (repository: Repository) {
  const working = yield* workingOf(repository)
  return yield* onDisk(async () => (await statOf(Buffer.from(planOf(working)))) !== undefined)
})

/** Files of the changes that the last commit has changed, too. */
const conflictingPaths = Effect.fn(...untraced("ApplyChanges.conflictingPaths"))(function* (
  place: GitPlace,
  base: string,
  paths: ReadonlyArray<string>
) {
  const { stdout } = yield* git(place, ["diff", "--name-only", "-z", ...plain, base, "HEAD"], bytes)
  const changed = new Set(listOf(stdout))
  return paths.filter((path) => changed.has(path)).map(readable)
})

/** Two commits: their differences are applied. */
export interface Difference {
  readonly base: string
  readonly commit: string
}

/** Makes the files beside the repository's data; the working tree is as before. */
const prepare = Effect.fn(...untraced("ApplyChanges.prepare"))(function* (
  working: Working,
  { base, commit }: Difference
) {
  const { top } = working
  const place = { workingDirectory: top }
  const names = yield* git(place, ["diff", "--name-only", "-z", ...plain, base, commit], bytes)
  const patch = yield* git(place, ["diff", "--binary", "--full-index", ...plain, base, commit], {
    encoding: "latin1",
    maxLength: longestPatch
  })
  if (names.isCut || patch.isCut) {
    return yield* new GitFailed({ problem: "the changes are too large: git cherry-pick takes them" })
  }
  const paths = listOf(names.stdout)
  if (paths.length === 0) return undefined
  yield* onDisk(() => mkdir(join(stagingOf(working), "files"), { recursive: true, mode: 0o700 }))
  const own = { ...place, indexFile: join(stagingOf(working), "index") }
  yield* git(own, ["read-tree", "--no-sparse-checkout", "HEAD"])
  const applying = ["apply", "--cached", "--binary", "--whitespace=nowarn"]
  const isFitting = yield* Effect.isSuccess(git(own, applying, { stdin: patch.stdout, encoding: "latin1" }))
  if (!isFitting) return yield* new ChangesConflict({ paths: yield* conflictingPaths(place, base, paths) })
  const result = yield* git(own, ["ls-files", "-z", "--cached"], bytes)
  const present = new Set(listOf(result.stdout))
  const before = yield* namesAt(place)
  const plan: Plan = {
    head: (yield* git(place, ["rev-parse", "HEAD"])).stdout.trim(),
    written: paths.filter((path) => present.has(path)),
    deleted: paths.filter((path) => !present.has(path) && before.has(path))
  }
  const checkingOut = ["checkout-index", "-z", "--stdin", `--prefix=${stagingOf(working)}/files/`]
  yield* git(own, checkingOut, { stdin: plan.written.map((path) => `${path}\0`).join(""), encoding: "latin1" })
  const added = new Set(plan.written.filter((path) => !before.has(path)))
  const conflicts = yield* inTheWay(working, plan, added)
  const others = yield* onDisk(async () => {
    const different: Array<string> = []
    for (const path of conflicts) if (!(await isApplied(working, plan, path))) different.push(path)
    return different
  })
  if (others.length > 0) return yield* new FilesChanged({ paths: others.map(readable) })
  yield* onDisk(async () => {
    for (const path of plan.written) await lstat(madeFor(working, path))
  })
  return plan
})

const locked = <A, E, R>(working: Working, work: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.andThen(
      Effect.mapError(holdLock(join(working.gitDirectory, "reins-apply.lock")), (error) => {
        const problem =
          error._tag === "LockTaken"
            ? "other changes are being applied here: try again"
            : `the repository cannot be locked: ${error.message}`
        return new GitFailed({ problem })
      }),
      work
    )
  )

/** Finishes what a killed host has begun here. */
export const finishApplying = Effect.fn(...untraced("ApplyChanges.finishApplying"))(function* (repository: Repository) {
  const working = yield* workingOf(repository)
  yield* locked(working, finishEarlier(working))
})

/** Fails with `FilesChanged` or `ChangesConflict`; then nothing was written. */
export const applyChanges = Effect.fn(...untraced("System.applyChanges"))(function* (
  repository: Repository,
  changes: Difference
) {
  const working = yield* workingOf(repository)
  const discard = Effect.ignore(onDisk(() => rm(stagingOf(working), { recursive: true, force: true })))
  yield* locked(
    working,
    Effect.gen(function* () {
      yield* finishEarlier(working)
      const plan = yield* Effect.onError(prepare(working, changes), () => discard)
      if (plan === undefined) return
      // All of it, once it is begun.
      yield* Effect.uninterruptible(
        onDisk(async () => {
          await writePlan(working, plan)
          await carryOut(working, plan, new Set())
        })
      )
    })
  )
})
