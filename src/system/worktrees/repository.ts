/** A directory → the git repository it is in, as far as worktrees need it. Nothing is changed. */
import { Effect, FileSystem } from "effect"
import { GitFailed, git } from "./git.ts"

export interface Repository {
  /** The directory, without symbolic links. */
  readonly directory: string
  /** From the top of the repository to the directory; empty at the top. */
  readonly prefix: string
  /** The directory of git that all worktrees of the repository share. */
  readonly gitDirectory: string
  /** The id of the commit that is checked out. */
  readonly head: string
}

const cure = 'give each agent a workingDirectory of its own, or use permissionMode "plan"'

export const findRepository = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* Effect.mapError(
    fs.realPath(path),
    () => new GitFailed({ problem: `${JSON.stringify(path)} does not exist` })
  )
  const place = { workingDirectory: directory }
  const ask = (...args: ReadonlyArray<string>) =>
    Effect.map(git(place, ["rev-parse", ...args]), ({ stdout }) => stdout.replace(/\n$/, ""))
  const shared = yield* Effect.mapError(
    ask("--path-format=absolute", "--git-common-dir"),
    ({ problem }) =>
      new GitFailed({ problem: `${JSON.stringify(directory)} is not in a git repository (${problem}): ${cure}` })
  )
  const head = yield* Effect.mapError(
    ask("--verify", "HEAD^{commit}"),
    () => new GitFailed({ problem: `the git repository of ${JSON.stringify(directory)} has no commit yet` })
  )
  const repository: Repository = { directory, prefix: yield* ask("--show-prefix"), gitDirectory: shared, head }
  return repository
})
