/**
 * A git worktree of the last commit, for one agent, removed with the scope. If this host is killed, the reaper removes
 * the files and the next run in the repository the rest.
 */
import { realpath } from "node:fs/promises"
import { basename, join } from "node:path"
import { Effect } from "effect"
import type { Changes } from "../../contract/SeveralAgents.ts"
import { untraced } from "../../contract/untraced.ts"
import { holdLock } from "../locks/fileLocks.ts"
import { HostEnvironment } from "../process/HostEnvironment.ts"
import { Host, makeRunId, privatePath } from "../process/host.ts"
import { changesOf } from "./changes.ts"
import { GitFailed, git, type Repository } from "./git.ts"
import { clearLeftovers, isDirectory, lockOf, removeWorktree, worktreeDirectory } from "./leftovers.ts"

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
