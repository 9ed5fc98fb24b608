/** Removes worktrees of killed hosts. A worktree is named for its run, and its lock is beside it in the repository. */
import { chmod, lstat, readdir, realpath, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { isLocked, removeFreeLock } from "../locks/fileLocks.ts"
import { readFlags, readRegular } from "../process/regularFile.ts"
import { git, type Repository } from "./git.ts"

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

/** As `privatePath` names the directories of a run: the reaper removes those of its dead host. */
const isOurName = (name: string) => new RegExp(`^reins-${uuid}\\.${uuid}$`).test(name)

/** The file of the lock that is held while the worktree is in use. */
export const lockOf = ({ gitDirectory }: Repository, name: string) => join(gitDirectory, `${name}.lock`)

/** False for a link. */
export const isDirectory = (path: string) =>
  Effect.promise(async () => (await lstat(path).catch(() => undefined))?.isDirectory() === true)

const makeRemovable = async (directory: string) => {
  await chmod(directory, 0o700)
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeRemovable(join(directory, entry.name))
  }
}

/** Also removes directories without write permission. A link is removed, not its target. */
const removeTree = Effect.fn(...untraced("Leftovers.removeTree"))(function* (path: string) {
  const remove = () => rm(path, { recursive: true, force: true })
  const isRemoved = yield* Effect.isSuccess(Effect.tryPromise(remove))
  if (isRemoved || !(yield* isDirectory(path))) return
  yield* Effect.ignore(Effect.tryPromise(() => makeRemovable(path).then(remove)))
})

/** Where the repository keeps what it knows of a worktree. */
export const worktreeDirectory = ({ gitDirectory }: Repository, path: string) =>
  join(gitDirectory, "worktrees", basename(path))

/** Git removes the files only after checks of its own. */
const unregister = ({ directory }: Repository, path: string) =>
  git({ workingDirectory: directory }, ["worktree", "remove", "--force", "--force", path])

/** Removes the files of a worktree of ours, then what the repository knows of it. */
export const removeWorktree = Effect.fn(...untraced("Leftovers.removeWorktree"))(function* (
  repository: Repository,
  path: string
) {
  yield* removeTree(path)
  if (yield* isDirectory(worktreeDirectory(repository, path))) yield* unregister(repository, path)
})

/** Worktrees of ours that the repository knows. */
const listed = Effect.fn(...untraced("Leftovers.listed"))(function* (repository: Repository) {
  const { stdout } = yield* git({ workingDirectory: repository.directory }, ["worktree", "list", "--porcelain"])
  return [...stdout.matchAll(/^worktree (.*)$/gm)]
    .map(([, path = ""]) => path)
    .filter((path) => isOurName(basename(path)))
})

const real = (path: string) => realpath(path).catch(() => path)

/** Whether a directory is a worktree of the repository, or of none: a copy of a repository names the original's. */
export const isOfRepository = (repository: Repository, path: string) =>
  Effect.promise(async () => {
    try {
      const file = await readRegular(join(path, ".git"), 8192, readFlags.notFollowing)
      if (file._tag !== "Read") return false
      const [, named] = /^gitdir: (.+?)\n?$/.exec(Buffer.from(file.bytes).toString()) ?? []
      return named !== undefined && (await real(named)) === (await real(worktreeDirectory(repository, path)))
    } catch (error) {
      return error instanceof Error && "code" in error && error.code === "ENOENT"
    }
  })

/** `temporary`: where this host makes its worktrees; elsewhere git alone removes the files. */
export const clearLeftovers = Effect.fn(...untraced("Leftovers.clearLeftovers"))(function* (
  repository: Repository,
  temporary: string
) {
  for (const path of yield* listed(repository)) {
    const lock = lockOf(repository, basename(path))
    if (yield* isLocked(lock)) continue
    if (dirname(path) === temporary && (yield* isOfRepository(repository, path))) yield* removeTree(path)
    yield* Effect.ignore(unregister(repository, path))
  }
  const locks = yield* Effect.promise(() => readdir(repository.gitDirectory).catch(() => []))
  for (const name of locks) {
    if (name.endsWith(".lock") && isOurName(name.slice(0, -".lock".length))) {
      yield* removeFreeLock(join(repository.gitDirectory, name))
    }
  }
})
