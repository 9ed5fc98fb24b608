/** Applies the changes of an agent's worktree to its directory, all or none, and never over uncommitted changes. */
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import type { Changes } from "../../contract/SeveralAgents.ts"
import { untraced } from "../../contract/untraced.ts"
import { GitFailed, git, type Repository } from "./git.ts"

/** Files that have changes of their own, from the top of the repository; nothing was written. */
class FilesChanged extends Schema.TaggedError<FilesChanged>()("FilesChanged", { paths: Schema.Array(Schema.String) }) {}

/** In characters. */
const longestStatus = 256 * 1024 * 1024
const longestPatch = 1024 * 1024 * 1024

const topOf = (repository: Repository) =>
  Effect.map(git({ workingDirectory: repository.directory }, ["rev-parse", "--show-toplevel"]), ({ stdout }) =>
    stdout.replace(/\n$/, "")
  )

/** Paths of `XY path` entries, each followed by a NUL; without renames no entry has two paths. */
const statusPaths = (status: string): ReadonlySet<string> =>
  new Set(status.split("\0").flatMap((entry) => (entry === "" ? [] : [entry.slice(3)])))

const isThere = (path: string) => Effect.isSuccess(Effect.tryPromise(() => lstat(path)))

/** Changed or untracked files at one of the paths, and files that are there though the last commit has none. */
const inTheWay = Effect.fn(...untraced("ApplyChanges.inTheWay"))(function* (
  top: string,
  { base, commit, paths }: Changes
) {
  const place = { workingDirectory: top }
  const how = ["--porcelain", "-z", "--untracked-files=all", "--no-renames"]
  const status = yield* git(place, ["status", ...how, "--ignore-submodules=all"], { maxLength: longestStatus })
  if (status.isCut) return yield* new GitFailed({ problem: "git status names too many files" })
  const changed = statusPaths(status.stdout)
  const diff = ["diff", "--name-only", "--no-renames", "-z", "--diff-filter=A", base, commit]
  const added = new Set((yield* git(place, diff, { maxLength: longestStatus })).stdout.split("\0"))
  const conflicts: Array<string> = []
  for (const path of paths) {
    if (changed.has(path) || (added.has(path) && (yield* isThere(join(top, path))))) conflicts.push(path)
  }
  return conflicts
})

export const applyChanges = Effect.fn(...untraced("System.applyChanges"))(function* (
  repository: Repository,
  changes: Changes
) {
  const top = yield* topOf(repository)
  const { base, commit } = changes
  const paths = yield* inTheWay(top, changes)
  if (paths.length > 0) return yield* new FilesChanged({ paths })
  const plain = ["--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--full-index"]
  const place = { workingDirectory: top }
  // Files are bytes.
  const exchange = { encoding: "latin1", maxLength: longestPatch } as const
  const patch = yield* git(place, ["diff", ...plain, base, commit], exchange)
  if (patch.isCut) return yield* new GitFailed({ problem: "the changes are too large: git cherry-pick takes them" })
  if (patch.stdout === "") return
  yield* git(place, ["apply", "--binary", "--whitespace=nowarn"], { stdin: patch.stdout, encoding: "latin1" })
})
