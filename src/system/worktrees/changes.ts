/**
 * All that was changed in a worktree, as a commit that no branch has. Not `git add`: that runs git in nested repositories,
 * whose configuration the agent has written. A new repository in the worktree is left out.
 */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { Changes } from "../../contract/SeveralAgents.ts"
import { GitFailed, type GitPlace, git } from "./git.ts"

/** In characters; the commit has all of it. */
const longestPatch = 16 * 1024 * 1024

/** In characters: the names of millions of files. */
const longestList = 256 * 1024 * 1024

/** Names that git puts out, each with a NUL behind it; all of them, or a failure. */
const namesBy = Effect.fnUntraced(function* (
  place: GitPlace,
  args: ReadonlyArray<string>,
  exchange: { readonly maxLength: number; readonly encoding: "utf8" | "latin1" }
) {
  const { stdout, isCut } = yield* git(place, args, exchange)
  if (isCut) return yield* new GitFailed({ problem: `git ${args[0]} names too many files` })
  return stdout
})

/** Brings the index to what is in the files. */
const stage = Effect.fnUntraced(function* (place: GitPlace, maxLength: number) {
  const update = Effect.fnUntraced(function* (list: ReadonlyArray<string>, ...how: ReadonlyArray<string>) {
    // File names are bytes.
    const stdin = yield* namesBy(place, list, { maxLength, encoding: "latin1" })
    if (stdin !== "") yield* git(place, ["update-index", ...how, "-z", "--stdin"], { stdin, encoding: "latin1" })
  })
  // Of its own, since a file whose directory is a link now can only be removed so.
  yield* update(
    ["diff-files", "-z", "--name-only", "--no-renames", "--diff-filter=D", "--ignore-submodules=all"],
    "--force-remove"
  )
  yield* update(
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    "--add",
    "--remove",
    "--replace",
    "--ignore-skip-worktree-entries"
  )
})

export const changesOf = Effect.fnUntraced(function* (
  place: GitPlace & { readonly gitDirectory: string },
  base: string,
  maxLength = longestList
) {
  // Nothing of the agent is left that could hold it.
  yield* Effect.promise(() => rm(join(place.gitDirectory, "index.lock"), { force: true }))
  yield* stage(place, maxLength)
  const tree = (yield* git(place, ["write-tree"])).stdout.trim()
  const commit = (yield* git(place, ["commit-tree", tree, "-p", base, "-m", "Changes of an agent"])).stdout.trim()
  const names = yield* namesBy(place, ["diff", "--name-only", "--no-renames", "-z", base, commit], {
    maxLength,
    encoding: "utf8"
  })
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
