/** Reads what was changed in a worktree: all files as a commit, whatever its agent has committed, and its differences to another. */
import { isUtf8 } from "node:buffer"
import { rm, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { codeOf } from "../../contract/errors/system.ts"
import type { Changes } from "../../contract/SeveralAgents.ts"
import { untraced } from "../../contract/untraced.ts"
import type { FileChange } from "../../contract/Worktrees.ts"
import { readFlags, readRegular } from "../process/regularFile.ts"
import { GitFailed, type GitPlace, git } from "./git.ts"

/** In characters; the commit has all of it. */
const longestPatch = 16 * 1024 * 1024
/** In characters: the names of millions of files. */
const longestList = 256 * 1024 * 1024

/** Names that git puts out, each with a NUL behind it; all of them, or a failure. */
const namesBy = Effect.fn(...untraced("Changes.namesBy"))(function* (
  place: GitPlace,
  args: ReadonlyArray<string>,
  exchange: { readonly maxLength: number; readonly encoding: "utf8" | "latin1" }
) {
  const { stdout, isCut } = yield* git(place, args, exchange)
  if (isCut) return yield* new GitFailed({ problem: `git ${args[0]} names too many files` })
  return stdout
})

/** Brings the index to what is in the files. */
const stage = Effect.fn(...untraced("Changes.stage"))(function* (place: GitPlace, maxLength: number) {
  const update = Effect.fn(...untraced("Changes.update"))(function* (
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

/** A worktree, whose repository and configuration an agent may have changed. */
export interface WorktreePlace extends GitPlace {
  readonly gitDirectory: string
}

/** Characters of the head of a difference, with names of files. */
const headLength = 40_000

/** Differences of files, without programs that the configuration names. */
const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"]

const commitOf = Effect.fn(...untraced("Changes.commitOf"))(function* (
  place: GitPlace,
  parent: string,
  message: string
) {
  const tree = (yield* git(place, ["write-tree"])).stdout.trim()
  return (yield* git(place, ["commit-tree", tree, "-p", parent, "-m", message])).stdout.trim()
})

const pathsBetween = Effect.fn(...untraced("Changes.pathsBetween"))(function* (
  place: GitPlace,
  base: string,
  commit: string,
  maxLength: number
) {
  const names = yield* namesBy(place, ["diff", "--name-only", "-z", ...plain, base, commit], {
    maxLength,
    encoding: "utf8"
  })
  return names.split("\0").filter((path) => path !== "")
})

/** The patch as text; undefined if it is longer than `longestPatch`, or a text in it is not UTF-8. */
export const patchBetween = Effect.fn(...untraced("Changes.patchBetween"))(function* (
  place: GitPlace,
  base: string,
  commit: string
) {
  const exchange = { maxLength: longestPatch, encoding: "latin1" } as const
  const { stdout, isCut } = yield* git(place, ["diff", "--binary", ...plain, base, commit], exchange)
  const bytes = Buffer.from(stdout, "latin1")
  return isCut || !isUtf8(bytes) ? undefined : bytes.toString()
})

/** The difference of one text file, without its head; undefined if it is longer than `maxBytes`. */
export const diffOfFile = Effect.fn(...untraced("Changes.diffOfFile"))(function* (
  place: GitPlace,
  { base, commit, path, maxBytes }: Record<"base" | "commit" | "path", string> & { readonly maxBytes: number }
) {
  const args = ["diff", ...plain, "--src-prefix=a/", "--dst-prefix=b/", base, commit, "--", path]
  const { stdout, isCut } = yield* git(place, args, { maxLength: maxBytes + headLength })
  const at = stdout.startsWith("@@ ") ? 0 : stdout.indexOf("\n@@ ") + 1
  const text = at === 0 ? "" : stdout.slice(at)
  return isCut || Buffer.byteLength(text) > maxBytes ? undefined : text
})

export const changesOf = Effect.fn(...untraced("Changes.changesOf"))(function* (
  place: WorktreePlace,
  base: string,
  maxLength = longestList
) {
  // Nothing of the agent is left that could hold it.
  yield* Effect.promise(() => rm(join(place.gitDirectory, "index.lock"), { force: true }))
  yield* stage(place, maxLength)
  const commit = yield* commitOf(place, base, "Changes of an agent")
  const paths = yield* pathsBetween(place, base, commit, maxLength)
  const patch = yield* patchBetween(place, base, commit)
  const changes: Changes = { base, commit, paths, ...(patch === undefined ? {} : { patch }) }
  return changes
})

const largestIndex = 1024 * 1024 * 1024

/**
 * An agent may have put a link or a pipe in the place of either. The copy is as old as the original: git looks into a file that was
 * changed in the second in which its index was written, or later, and takes others of the same size and time for unchanged.
 */
const copyIndex = async (from: string, to: string) => {
  await rm(`${to}.lock`, { force: true })
  await rm(to, { force: true })
  const reading = await readRegular(from, largestIndex, readFlags.notFollowing).catch((cause) => {
    if (codeOf(cause) === "ENOENT") return undefined
    throw cause
  })
  if (reading === undefined) return
  if (reading._tag !== "Read") throw new Error("it is not a regular file of at most 1 GiB")
  await writeFile(to, reading.bytes, { flag: "wx", mode: 0o600 })
  const changedAt = Number(reading.info.mtimeMs) / 1_000
  await utimes(to, changedAt, changedAt)
}

/**
 * A commit with all files as they are now, on the commit that is checked out: `before` if that is it. The worktree and its
 * index stay as they are.
 */
export const takeSnapshot = Effect.fn(...untraced("Changes.takeSnapshot"))(function* (
  place: WorktreePlace,
  before: string | undefined
) {
  const indexFile = join(place.gitDirectory, "reins-index")
  yield* Effect.tryPromise({
    try: () => copyIndex(join(place.gitDirectory, "index"), indexFile),
    catch: (cause) => new GitFailed({ problem: `the index cannot be copied: ${codeOf(cause) ?? String(cause)}` })
  })
  const own = { ...place, indexFile }
  yield* stage(own, longestList)
  const head = (yield* git(place, ["rev-parse", "--verify", "HEAD^{commit}"])).stdout.trim()
  if (before !== undefined) {
    const now = `${(yield* git(own, ["write-tree"])).stdout.trim()}\n${head}\n`
    const facts = yield* Effect.option(git(place, ["rev-parse", `${before}^{tree}`, `${before}^1`]))
    if (facts._tag === "Some" && facts.value.stdout === now) return { head, commit: before }
  }
  return { head, commit: yield* commitOf(own, head, "Files of a conversation's worktree") }
})

const statusOf: Readonly<Record<string, FileChange["status"]>> = { A: "added", D: "deleted" }

/** The changed files with their numbers of lines; all of them, or a failure. */
export const filesBetween = Effect.fn(...untraced("Changes.filesBetween"))(function* (
  place: GitPlace,
  base: string,
  commit: string
) {
  const exchange = { maxLength: longestList, encoding: "utf8" } as const
  const named = yield* namesBy(place, ["diff", "--name-status", "-z", ...plain, base, commit], exchange)
  const counted = yield* namesBy(place, ["diff", "--numstat", "-z", ...plain, base, commit], exchange)
  const counts = new Map(
    counted.split("\0").flatMap((entry) => {
      const [, added, deleted, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(entry) ?? []
      return path === undefined || added === "-"
        ? []
        : [[path, { added: Number(added), deleted: Number(deleted) }] as const]
    })
  )
  const parts = named.split("\0")
  const files: Array<FileChange> = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const path = parts[at + 1] ?? ""
    files.push({ path, status: statusOf[parts[at] ?? ""] ?? "changed", ...counts.get(path) })
  }
  return files
})
