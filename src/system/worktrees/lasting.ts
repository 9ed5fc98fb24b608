/**
 * The worktree of a conversation: on a branch of its own, kept until it is removed. Its files are also in a commit, the
 * snapshot, from which they can be restored. Every step can be repeated after the death of its host.
 */
import { statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { takeSnapshot, type WorktreePlace } from "./changes.ts"
import { GitFailed, git, type Repository } from "./git.ts"
import { isDirectory, isOfRepository, removeWorktree, worktreeDirectory } from "./leftovers.ts"

export interface LastingWorktree {
  readonly repository: Repository
  /** The last part of its branch's name. */
  readonly name: string
  readonly path: string
}

export const branchOf = (name: string) => `reins/${name}`
const branchRef = (name: string) => `refs/heads/${branchOf(name)}`
const snapshotRef = (name: string) => `refs/reins/worktrees/${name}`
/** Commits with the files that were applied, the last one on the ones before. */
const appliedRef = (name: string) => `refs/reins/applied/${name}`
/** Files of the last discarded changes, with the commits of the branch. */
const discardedRef = (name: string) => `refs/reins/discarded/${name}`

const placeOf = ({ repository, path }: LastingWorktree): WorktreePlace => ({
  workingDirectory: path,
  gitDirectory: worktreeDirectory(repository, path)
})

/** The id of a commit by the full name of a reference; undefined if it does not exist. */
const commitAt = Effect.fn(...untraced("Lasting.commitAt"))(function* ({ directory }: Repository, ref: string) {
  const { stdout } = yield* git({ workingDirectory: directory }, [
    "for-each-ref",
    "--format=%(refname) %(objectname)",
    ref
  ])
  const line = stdout.split("\n").find((each) => each.startsWith(`${ref} `))
  return line?.slice(ref.length + 1)
})

export const tipOf = ({ repository, name }: LastingWorktree) => commitAt(repository, branchRef(name))
export const snapshotOf = ({ repository, name }: LastingWorktree) => commitAt(repository, snapshotRef(name))

/** Moves a reference, if it still names `before`; undefined: if it does not exist. */
const moveRef = ({ directory }: Repository, ref: string, commit: string, before: string | undefined) =>
  git({ workingDirectory: directory }, ["update-ref", ref, commit, before ?? "0".repeat(commit.length)])

const deleteRef = ({ directory }: Repository, ref: string) =>
  git({ workingDirectory: directory }, ["update-ref", "-d", ref])

/** Whether its files are there, and belong to its repository. */
export const isPresent = Effect.fn(...untraced("Lasting.isPresent"))(function* ({ repository, path }: LastingWorktree) {
  if (!(yield* isDirectory(path)) || !(yield* isDirectory(worktreeDirectory(repository, path)))) return false
  return yield* isOfRepository(repository, path)
})

const megabyte = 1_000_000

/** Fails if the files of a commit are larger than `maxMegabytes`, or than the free space of the disk. */
const checkSize = Effect.fn(...untraced("Lasting.checkSize"))(function* (
  { repository, path }: LastingWorktree,
  commit: string,
  maxMegabytes: number
) {
  const place = { workingDirectory: repository.directory }
  const list = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit]
  const { stdout, isCut } = yield* git(place, list, { maxLength: 256 * 1024 * 1024 })
  // Entries of `MODE TYPE OBJECT SIZE`, a tab and the name; the size of a submodule is `-`.
  const sizes = stdout.split("\0").map((entry) => Number(entry.slice(0, entry.indexOf("\t")).split(/ +/)[3]) || 0)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const size = `${Math.ceil(bytes / megabyte).toLocaleString("en")} MB`
  if (isCut || bytes > maxMegabytes * megabyte) {
    const problem = `its files have ${size}, more than the ${maxMegabytes.toLocaleString("en")} MB that a worktree may have: raise maxMegabytes`
    return yield* new GitFailed({ problem })
  }
  const free = yield* Effect.promise(() =>
    statfs(dirname(path)).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => Number.POSITIVE_INFINITY
    )
  )
  if (free < bytes) {
    const problem = `its files have ${size}, and ${JSON.stringify(dirname(path))} has only ${Math.floor(free / megabyte).toLocaleString("en")} MB of free space: free some, or remove worktrees (reins worktrees)`
    return yield* new GitFailed({ problem })
  }
})

/** Checks the branch out, with the files of a snapshot where there is one. Removes what a killed host has left of it. */
export const checkOut = Effect.fn(...untraced("Lasting.checkOut"))(function* (
  worktree: LastingWorktree,
  { begin, maxMegabytes }: { readonly begin: string; readonly maxMegabytes: number }
) {
  const { repository, name, path } = worktree
  const snapshot = yield* snapshotOf(worktree)
  yield* checkSize(worktree, snapshot ?? (yield* tipOf(worktree)) ?? begin, maxMegabytes)
  yield* removeWorktree(repository, path)
  if ((yield* tipOf(worktree)) === undefined) yield* moveRef(repository, branchRef(name), begin, undefined)
  const adding = ["worktree", "add", "--no-checkout", path, branchOf(name)]
  yield* git({ workingDirectory: repository.directory }, adding)
  if (!(yield* isPresent(worktree)))
    return yield* new GitFailed({ problem: "git has given it another name: run git worktree prune" })
  const place = placeOf(worktree)
  yield* git(place, ["reset", "--hard", "--quiet"])
  if (snapshot === undefined) return
  yield* git(place, ["read-tree", "--reset", "-u", snapshot])
  yield* git(place, ["reset", "--mixed", "--quiet"])
})

/** Takes its files into a commit that lasts; returns it, and the commit that is checked out. */
export const saveSnapshot = Effect.fn(...untraced("Lasting.saveSnapshot"))(function* (worktree: LastingWorktree) {
  const { repository, name } = worktree
  const before = yield* snapshotOf(worktree)
  const { commit, head } = yield* takeSnapshot(placeOf(worktree), before)
  if (commit !== before) yield* moveRef(repository, snapshotRef(name), commit, before)
  return { commit, head }
})

/** Gives the files of a snapshot to another worktree, which is not made yet. */
export const shareSnapshot = Effect.fn(...untraced("Lasting.shareSnapshot"))(function* (
  from: LastingWorktree,
  to: LastingWorktree
) {
  const commit = yield* snapshotOf(from)
  if (commit !== undefined)
    yield* git({ workingDirectory: to.repository.directory }, ["update-ref", snapshotRef(to.name), commit])
})

const mostApplied = 10

/** Commits with the files that were applied, newest first, at most ten. */
export const appliedCommits = ({ repository }: LastingWorktree, last: string | undefined) =>
  last === undefined
    ? Effect.succeed([])
    : Effect.map(
        git({ workingDirectory: repository.directory }, ["rev-list", `--max-count=${mostApplied}`, last]),
        ({ stdout }) => stdout.split("\n").filter((line) => line !== "")
      )

/** Lets applied files last, after those before; returns their commit. */
export const keepApplied = Effect.fn(...untraced("Lasting.keepApplied"))(function* (
  { repository, name }: LastingWorktree,
  snapshot: string,
  before: string | undefined
) {
  const place = { workingDirectory: repository.directory }
  const parents = before === undefined ? [] : ["-p", before]
  const making = ["commit-tree", `${snapshot}^{tree}`, ...parents, "-m", "Files that were applied"]
  const commit = (yield* git(place, making)).stdout.trim()
  yield* git(place, ["update-ref", appliedRef(name), commit])
  return commit
})

/** Its branch has the commit, which is checked out with the files as they are. */
export const commitOnBranch = Effect.fn(...untraced("Lasting.commitOnBranch"))(function* (
  worktree: LastingWorktree,
  snapshot: string,
  message: string
) {
  const { repository, name } = worktree
  const place = placeOf(worktree)
  const { stdout } = yield* git(place, ["rev-parse", "--symbolic-full-name", "HEAD"])
  const tip = yield* tipOf(worktree)
  if (stdout.trim() !== branchRef(name) || tip === undefined) {
    const there = stdout.trim().replace(/^refs\/heads\//, "")
    const problem = `its agent has checked out ${there === "HEAD" ? "a commit" : JSON.stringify(there)} instead of ${branchOf(name)}: git -C ${JSON.stringify(worktree.path)} switch ${branchOf(name)}`
    return yield* new GitFailed({ problem })
  }
  const trees = yield* git(place, ["rev-parse", `${snapshot}^{tree}`, `${tip}^{tree}`])
  const [tree = "", before] = trees.stdout.trim().split("\n")
  if (tree === before) return undefined
  const made = yield* git(place, ["commit-tree", tree, "-p", tip, "-F", "-"], { stdin: message })
  const commit = made.stdout.trim()
  // First the index: after a kill in between, the changes are staged.
  yield* git(place, ["read-tree", commit])
  yield* moveRef(repository, branchRef(name), commit, tip)
  return commit
})

/**
 * Lets discarded files last, so that they can be taken back. What was discarded before is the second parent: a host that dies
 * in the middle discards the rest once more.
 */
export const keepDiscarded = Effect.fn(...untraced("Lasting.keepDiscarded"))(function* (
  { repository, name }: LastingWorktree,
  snapshot: string
) {
  const place = { workingDirectory: repository.directory }
  const before = yield* commitAt(repository, discardedRef(name))
  const parents = ["-p", snapshot, ...(before === undefined ? [] : ["-p", before])]
  const making = ["commit-tree", `${snapshot}^{tree}`, ...parents, "-m", "Files that were discarded"]
  const commit = (yield* git(place, making)).stdout.trim()
  yield* git(place, ["update-ref", discardedRef(name), commit])
  return commit
})

/** Sets its branch and files to a commit. Ignored files, and repositories in it, stay. Returns a commit with the discarded files. */
export const resetTo = Effect.fn(...untraced("Lasting.resetTo"))(function* (
  worktree: LastingWorktree,
  { snapshot, commit }: { readonly snapshot: string; readonly commit: string }
) {
  const { name } = worktree
  const place = placeOf(worktree)
  const discarded = yield* keepDiscarded(worktree, snapshot)
  yield* git(place, ["symbolic-ref", "HEAD", branchRef(name)])
  yield* git(place, ["reset", "--hard", "--quiet", commit])
  yield* git(place, ["clean", "-d", "--force", "--quiet"])
  return discarded
})

/** Removes its files; its branch and its snapshot stay. */
export const removeFiles = ({ repository, path }: LastingWorktree) => removeWorktree(repository, path)

/** Removes its branch, its snapshot and what was applied, unless the branch has another commit than `tip`. */
export const removeRefs = Effect.fn(...untraced("Lasting.removeRefs"))(function* (
  { repository, name }: LastingWorktree,
  tip: string | undefined
) {
  if (tip !== undefined) {
    yield* git({ workingDirectory: repository.directory }, ["update-ref", "-d", branchRef(name), tip])
  }
  yield* deleteRef(repository, snapshotRef(name))
  yield* deleteRef(repository, appliedRef(name))
})

/** The commit from which the work of the branch differs now: the newest of `base` that the person has checked out, too. */
export const newestBase = Effect.fn(...untraced("Lasting.newestBase"))(function* (
  { repository }: LastingWorktree,
  base: string,
  head: string
) {
  const place = { workingDirectory: repository.directory }
  const merge = yield* Effect.orElseSucceed(
    Effect.map(git(place, ["merge-base", repository.head, head]), ({ stdout }) => stdout.trim()),
    () => base
  )
  if (merge === base) return base
  const isNewer = yield* Effect.isSuccess(git(place, ["merge-base", "--is-ancestor", base, merge]))
  return isNewer ? merge : base
})

/** Commits on `head` that the person has not checked out. */
export const commitsAhead = ({ repository }: LastingWorktree, head: string) =>
  Effect.map(
    git({ workingDirectory: repository.directory }, ["rev-list", "--count", `${repository.head}..${head}`]),
    ({ stdout }) => Number(stdout.trim()) || 0
  )

/** The lock of what changes it, in the repository. */
export const changeLockOf = ({ repository, name }: LastingWorktree) =>
  join(repository.gitDirectory, `reins-worktree-${name}.lock`)
