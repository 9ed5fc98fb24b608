/**
 * Applies changes to the working tree of a person: all or none, never over uncommitted work, and never to the index. What was
 * applied before, and not touched since, is brought up to date.
 */
import { lstat, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { codeOf } from "../../contract/errors/system.ts"
import { untraced } from "../../contract/untraced.ts"
import { holdLock } from "../locks/fileLocks.ts"
import { openStateDirectory } from "../locks/stateDirectory.ts"
import {
  carryOut,
  digestOf,
  discardPlan,
  type Entry,
  hasOthers,
  isBlocked,
  madeFor,
  nameOf,
  type Plan,
  pathIn,
  readPlan,
  stagingOf,
  statOf,
  type Working,
  writePlan
} from "./applyPlan.ts"
import { GitFailed, type GitPlace, git, type Repository } from "./git.ts"

/** Files that have changes of their own, from the top of the repository; nothing was written. */
export class FilesChanged extends Schema.TaggedError<FilesChanged>()("FilesChanged", {
  paths: Schema.Array(Schema.String)
}) {}

/** The changes do not fit the last commit, which has changed these files, too; nothing was written. */
export class ChangesConflict extends Schema.TaggedError<ChangesConflict>()("ChangesConflict", {
  paths: Schema.Array(Schema.String)
}) {}

/** Commits with files. */
export interface Difference {
  readonly base: string
  /** Its differences to `base` are applied. */
  readonly commit: string
  /** Commits with the files that were applied before, newest first. */
  readonly applied?: ReadonlyArray<string>
}

/** In characters. */
const longestList = 256 * 1024 * 1024
const longestPatch = 1024 * 1024 * 1024

/** Names and files are bytes: each character is one. */
const bytes = { encoding: "latin1", maxLength: longestList } as const
const readable = (path: string) => nameOf(path).toString()
/** Commits of submodules are left out. */
const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=all"]
const listOf = (text: string) => text.split("\0").filter((part) => part !== "")

/** Below the state directory. */
const plans = "applying"

const onDisk = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new GitFailed({ problem: `the files cannot be written: ${codeOf(cause) ?? String(cause)}` })
  })

const workingOf = Effect.fn(...untraced("ApplyChanges.workingOf"))(function* ({ directory }: Repository) {
  const { stdout } = yield* git({ workingDirectory: directory }, ["rev-parse", "--absolute-git-dir", "--show-toplevel"])
  const [gitDirectory = "", top = ""] = stdout.split("\n")
  const state = yield* Effect.mapError(openStateDirectory(plans), ({ problem }) => new GitFailed({ problem }))
  const working: Working = { top, gitDirectory, plans: join(state, plans) }
  return working
})

/** Mode and id of a file in a commit; undefined where the commit does not have it. */
type Blob = string | undefined

interface Step {
  readonly from: Blob
  readonly to: Blob
}

const blobOf = (mode = "", id = ""): Blob => (mode === "000000" ? undefined : `${mode} ${id}`)
const isSubmodule = (blob: Blob) => blob?.startsWith("160000") === true

/** By path: what changed from one commit to another. */
const stepsBetween = Effect.fn(...untraced("ApplyChanges.stepsBetween"))(function* (
  place: GitPlace,
  base: string,
  commit: string
) {
  const { stdout, isCut } = yield* git(place, ["diff", "--raw", "-z", "--no-abbrev", ...plain, base, commit], bytes)
  if (isCut) return yield* new GitFailed({ problem: "the changes have too many files" })
  const parts = listOf(stdout)
  const steps = new Map<string, Step>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [before, after, from, to] = (parts[at] ?? "").slice(1).split(" ")
    const step = { from: blobOf(before, from), to: blobOf(after, to) }
    if (!isSubmodule(step.from) && !isSubmodule(step.to)) steps.set(parts[at + 1] ?? "", step)
  }
  return steps
})

const blobsOf = Effect.fn(...untraced("ApplyChanges.blobsOf"))(function* (place: GitPlace, commit: string) {
  const { stdout, isCut } = yield* git(place, ["ls-tree", "-r", "-z", "--full-tree", commit], bytes)
  if (isCut) return yield* new GitFailed({ problem: "the repository has too many files" })
  // Entries of `MODE TYPE ID`, a tab, and the path.
  return new Map(
    listOf(stdout).map((entry) => {
      const tab = entry.indexOf("\t")
      const [mode, , id] = entry.slice(0, tab).split(" ")
      return [entry.slice(tab + 1), blobOf(mode, id)] as const
    })
  )
})

/** Paths with changes that are not committed. */
const changedIn = Effect.fn(...untraced("ApplyChanges.changedIn"))(function* (place: GitPlace) {
  const how = ["--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"]
  const status = yield* git(place, ["status", ...how], bytes)
  if (status.isCut) return yield* new GitFailed({ problem: "git status names too many files" })
  // Entries of `XY path`; without renames none has two paths.
  return new Set(listOf(status.stdout).map((entry) => entry.slice(3)))
})

const nul = (lines: ReadonlyArray<string>) => lines.map((line) => `${line}\0`).join("")

/** Brings the index of the last commit to the result. Fails with `ChangesConflict`. */
const makeResult = Effect.fn(...untraced("ApplyChanges.makeResult"))(function* (
  own: GitPlace,
  { base, commit, applied: [applied] = [] }: Difference,
  { exact, inexact }: { readonly exact: ReadonlyMap<string, Blob>; readonly inexact: ReadonlyArray<string> }
) {
  yield* git(own, ["read-tree", "--no-sparse-checkout", "HEAD"])
  const none = `0 ${"0".repeat(base.length)}`
  const removals = [...exact].filter(([, blob]) => blob === undefined).map(([path]) => `${none}\t${path}`)
  const additions = [...exact].flatMap(([path, blob]) => (blob === undefined ? [] : [`${blob}\t${path}`]))
  if (exact.size > 0) {
    const setting = ["update-index", "--add", "--remove", "--replace", "-z", "--index-info"]
    yield* git(own, setting, { stdin: nul([...removals, ...additions]), encoding: "latin1" })
  }
  if (inexact.length === 0) return
  const patched = Effect.fnUntraced(function* (from: string) {
    const diff = ["diff", "--binary", "--full-index", ...plain, from, commit, "--", ...inexact.map(readable)]
    const patch = yield* git(own, diff, { encoding: "latin1", maxLength: longestPatch })
    if (patch.isCut) return yield* new GitFailed({ problem: "the changes are too large: git cherry-pick takes them" })
    if (patch.stdout === "") return
    const applying = ["apply", "--cached", "--binary", "--whitespace=nowarn"]
    yield* git(own, applying, { stdin: patch.stdout, encoding: "latin1" })
  })
  const first = Effect.isSuccess(patched(applied ?? base))
  if (yield* first) return
  if (applied !== undefined && (yield* Effect.isSuccess(patched(base)))) return
  return yield* new ChangesConflict({ paths: inexact.map(readable) })
})

/** Makes the files beside the repository's data; the working tree is as before. */
const prepare = Effect.fn(...untraced("ApplyChanges.prepare"))(function* (working: Working, difference: Difference) {
  const { base, commit, applied = [] } = difference
  const place = { workingDirectory: working.top }
  const steps = yield* stepsBetween(place, base, commit)
  const versions = yield* Effect.forEach(applied, (each) => stepsBetween(place, base, each))
  const [earlier = new Map<string, Step>()] = versions
  const head = yield* blobsOf(place, "HEAD")
  const paths = [...new Set([...steps.keys(), ...earlier.keys()])]
  const targetOf = (path: string): Blob => (steps.get(path) ?? { to: earlier.get(path)?.from }).to
  const isExact = (path: string) => {
    const own = head.get(path)
    const from = (steps.get(path) ?? earlier.get(path))?.from
    return (
      own === from || own === targetOf(path) || versions.some((steps) => steps.has(path) && own === steps.get(path)?.to)
    )
  }
  const exact = new Map(paths.filter(isExact).map((path) => [path, targetOf(path)] as const))
  const inexact = paths.filter((path) => !exact.has(path))
  yield* onDisk(() => mkdir(stagingOf(working), { mode: 0o700 }))
  const own = { ...place, indexFile: join(stagingOf(working), "index") }
  yield* makeResult(own, difference, { exact, inexact })
  const result = yield* Effect.map(
    git(own, ["ls-files", "-z", "--cached"], bytes),
    ({ stdout }) => new Set(listOf(stdout))
  )
  const checkOut = Effect.fnUntraced(function* (from: GitPlace, folder: string, list: ReadonlyArray<string>) {
    if (list.length === 0) return
    const checkingOut = ["checkout-index", "-z", "--stdin", `--prefix=${stagingOf(working)}/${folder}/`]
    yield* git(from, checkingOut, { stdin: nul(list), encoding: "latin1" })
    yield* onDisk(async () => {
      for (const path of list) await lstat(madeFor(working, path, folder))
    })
  })
  yield* checkOut(
    own,
    "files",
    paths.filter((path) => result.has(path))
  )
  const changed = yield* changedIn(place)
  const removed = new Set(paths.filter((path) => !result.has(path)))
  const digests = yield* onDisk(async () => {
    const found = new Map<string, string | null>()
    for (const path of paths) found.set(path, await digestOf(pathIn(working, path)))
    return found
  })
  const isDirty = (path: string) => changed.has(path) || (!head.has(path) && digests.get(path) !== null)
  // As they were applied before.
  const mayBeOurs = paths.filter((path) => earlier.has(path) && isDirty(path))
  if (applied[0] !== undefined && mayBeOurs.length > 0) {
    const before = { ...place, indexFile: join(stagingOf(working), "before.index") }
    yield* git(before, ["read-tree", "--no-sparse-checkout", applied[0]])
    yield* checkOut(
      before,
      "before",
      mayBeOurs.filter((path) => earlier.get(path)?.to !== undefined)
    )
  }
  return yield* onDisk(async () => {
    const conflicts: Array<string> = []
    const plan: Array<Entry> = []
    for (const path of paths) {
      const target = pathIn(working, path)
      const before = digests.get(path) ?? null
      const isDeleted = removed.has(path)
      const after = isDeleted ? null : await digestOf(madeFor(working, path))
      const isDirectory = (await statOf(target))?.isDirectory() === true
      if (before === after && !isDirectory) continue
      const isOurs =
        earlier.has(path) && mayBeOurs.includes(path) && before === (await digestOf(madeFor(working, path, "before")))
      // A directory that the changes replace by a file is emptied by them.
      const isInTheWay =
        (isDirty(path) && !isOurs) ||
        (isDirectory && (await hasOthers(target, path, removed))) ||
        (await isBlocked(working, path, removed))
      // A file that its agent has set back since, and the person has changed, stays the person's.
      const isSetBack = !steps.has(path)
      if (isInTheWay && !isSetBack) conflicts.push(path)
      if (!isInTheWay) plan.push({ path, before, after })
    }
    return { conflicts, plan: plan.toSorted((one, other) => Number(other.after === null) - Number(one.after === null)) }
  })
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

/** All of it, once it is begun. */
const carriedOut = (working: Working, plan: Plan) => Effect.uninterruptible(onDisk(() => carryOut(working, plan)))

/** Files that a person has changed since are left as they are. */
const finishEarlier = Effect.fn(...untraced("ApplyChanges.finishEarlier"))(function* (working: Working) {
  const plan = yield* onDisk(() => readPlan(working))
  yield* plan === undefined ? onDisk(() => discardPlan(working)) : carriedOut(working, plan)
})

/** Whether a killed host has left changes that are half applied. */
export const isHalfApplied = Effect.fn(...untraced("ApplyChanges.isHalfApplied"))(function* (repository: Repository) {
  const working = yield* workingOf(repository)
  return yield* onDisk(async () => (await readPlan(working)) !== undefined)
})

/** Finishes what a killed host has begun here. */
export const finishApplying = Effect.fn(...untraced("ApplyChanges.finishApplying"))(function* (repository: Repository) {
  const working = yield* workingOf(repository)
  yield* locked(working, finishEarlier(working))
})

/** Returns the paths that were written or deleted. Fails with `FilesChanged` or `ChangesConflict`; then nothing was written. */
export const applyChanges = Effect.fn(...untraced("System.applyChanges"))(function* (
  repository: Repository,
  difference: Difference
) {
  const working = yield* workingOf(repository)
  const discard = Effect.ignore(onDisk(() => discardPlan(working)))
  const applying = Effect.gen(function* () {
    yield* finishEarlier(working)
    const { conflicts, plan } = yield* Effect.onError(prepare(working, difference), () => discard)
    if (conflicts.length > 0 || plan.length === 0) yield* discard
    if (conflicts.length > 0) return yield* new FilesChanged({ paths: conflicts.map(readable) })
    if (plan.length > 0) {
      yield* Effect.uninterruptible(
        Effect.andThen(
          onDisk(() => writePlan(working, plan)),
          carriedOut(working, plan)
        )
      )
    }
    return plan.map(({ path }) => readable(path))
  })
  return yield* locked(working, applying)
})
