/**
 * A git worktree of the last commit, for one agent, removed with the scope. If this host is killed, the reaper removes
 * the files and the next run in the repository the rest.
 */
import { realpath, rm } from "node:fs/promises"
import { basename, join } from "node:path"
import { Effect } from "effect"
import type { Changes } from "../../contract/SeveralAgents.ts"
import { untraced } from "../../contract/untraced.ts"
import { holdLock } from "../locks/fileLocks.ts"
import { HostEnvironment } from "../process/HostEnvironment.ts"
import { Host, makeRunId, privatePath } from "../process/host.ts"
import { GitFailed, type GitPlace, git, type Repository } from "./git.ts"
import { clearLeftovers, isDirectory, lockOf, removeWorktree, worktreeDirectory } from "./leftovers.ts"

/** In characters; the commit has all of it. */
const longestPatch = 16 * 1024 * 1024
/** In characters: the names of millions of files. */
const longestList = 256 * 1024 * 1024

/** Names that git puts out, each with a NUL behind it; all of them, or a failure. */
const namesBy = Effect.fn(...untraced("Worktree.namesBy"))(function* (
  place: GitPlace,
  args: ReadonlyArray<string>,
  exchange: { readonly maxLength: number; readonly encoding: "utf8" | "latin1" }
) {
  const { stdout, isCut } = yield* git(place, args, exchange)
  if (isCut) return yield* new GitFailed({ problem: `git ${args[0]} names too many files` })
  return stdout
})

/** Brings the index to what is in the files. */
const stage = Effect.fn(...untraced("Worktree.stage"))(function* (place: GitPlace, maxLength: number) {
  const update = Effect.fn(...untraced("Worktree.update"))(function* (
    list: ReadonlyArray<string>,
    ...how: ReadonlyArray<string>
  ) {
    // File names are bytes.
    const stdin = yield* namesBy(place, list, { maxLength, encoding: "latin1" })
    if (stdin !== "") yield* git(place, ["update-index", ...how, "-z", "--stdin"], { stdin, encoding: "latin1" })
  })
  // A separate call, since a file whose directory is now a link can only be removed this way.
  const deleted = ["diff-files", "-z", "--name-only", "--no-renames", "--diff-filter=D", "--ignore-submodules=all"]
  yield* update(deleted, "--force-remove")
  const adding = ["--add", "--remove", "--replace", "--ignore-skip-worktree-entries"]
  yield* update(["ls-files", "-z", "--cached", "--others", "--exclude-standard"], ...adding)
})

export const changesOf = Effect.fn(...untraced("Worktree.changesOf"))(function* (
  place: GitPlace & { readonly gitDirectory: string },
  base: string,
  maxLength = longestList
) {
  // Nothing of the agent is left that could hold it.
  yield* Effect.promise(() => rm(join(place.gitDirectory, "index.lock"), { force: true }))
  yield* stage(place, maxLength)
  const tree = (yield* git(place, ["write-tree"])).stdout.trim()
  const commit = (yield* git(place, ["commit-tree", tree, "-p", base, "-m", "Changes of an agent"])).stdout.trim()
  const naming = ["diff", "--name-only", "--no-renames", "-z", base, commit]
  const names = yield* namesBy(place, naming, { maxLength, encoding: "utf8" })
  const plain = ["--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"]
  const patch = yield* git(place, ["diff", ...plain, base, commit], { maxLength: longestPatch })
  const changes: Changes = {
    base,
    commit,
    paths: names.split("\0").filter((path) => path !== ""),
    ...(patch.isCut ? {} : { patch: patch.stdout })
  }
  return changes
})

export interface Worktree {
  /** For the agent: the same place in the repository as the directory that it stands for. */
  readonly directory: string
  /** All differences to the commit that it began with, those that the agent has committed included. */
  readonly changes: Effect.Effect<Changes, GitFailed, Platform>
}

type Platform = Effect.Services<ReturnType<typeof git>>

/** The directory for temporary files, as the reaper and git name it. */
const findTemporary = Effect.gen(function* () {
  const host = yield* HostEnvironment
  const named = host["TMPDIR"] || host["TMP"] || host["TEMP"] || "/tmp"
  return yield* Effect.promise(() => realpath(named).catch(() => named))
})

const lockProblem = (error: { readonly message: string }) =>
  Effect.fail(new GitFailed({ problem: `the worktree cannot be locked: ${error.message}` }))

/** Also clears what killed hosts have left in the repository. */
export const makeWorktree = Effect.fn(...untraced("Worktree.makeWorktree"))(function* (repository: Repository) {
  const { reaper } = yield* Host
  yield* Effect.sync(reaper.ensure)
  const temporary = yield* findTemporary
  const path = privatePath(temporary, yield* makeRunId)
  yield* Effect.catch(clearLeftovers(repository, temporary), (error) =>
    Effect.logWarning("worktrees of a killed host could not be removed", error.message)
  )
  yield* Effect.catch(holdLock(lockOf(repository, basename(path))), lockProblem)
  // Before it is made, so that half of one is removed, too.
  yield* Effect.addFinalizer(() =>
    Effect.catch(removeWorktree(repository, path), ({ message }) =>
      Effect.logWarning("a worktree could not be removed; the next one in its repository tries again", message)
    )
  )
  const adding = ["worktree", "add", "--detach", "--no-checkout", path, repository.head]
  yield* git({ workingDirectory: repository.directory }, adding)
  const place = { workingDirectory: path, gitDirectory: worktreeDirectory(repository, path) }
  // A command of its own: the configuration may name other programs for this worktree.
  yield* git(place, ["reset", "--hard", "--quiet"])
  const directory = join(path, repository.prefix)
  if (!(yield* isDirectory(directory))) {
    return yield* new GitFailed({ problem: `${JSON.stringify(repository.prefix)} is not in the last commit` })
  }
  const worktree: Worktree = { directory, changes: changesOf(place, repository.head) }
  return worktree
})
