/** A stored worktree with its repository, and the locks of turns and of changes to it. */
import { dirname, join } from "node:path"
import { Effect, type Scope } from "effect"
import { whoHolds } from "../../agents/guard/holderFile.ts"
import { untraced } from "../../contract/untraced.ts"
import { WorktreeBusy, WorktreeRefused } from "../../contract/WorktreeError.ts"
import { FileLocks } from "../../system/locks/fileLocks.ts"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"
import { findRepository, GitFailed, type Repository } from "../../system/worktrees/git.ts"
import { changeLockOf, type LastingWorktree } from "../../system/worktrees/lasting.ts"
import type { NameLocks } from "../store/nameLocks.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { keyOfText } from "../turns/conversationKey.ts"
import { openTurns } from "../turns/turnRows.ts"
import { directoryName } from "./worktreeName.ts"
import type { WorktreeRow } from "./worktreeRows.ts"

export interface WorktreeContext {
  readonly store: OpenStore
  readonly turns: NameLocks
}

const folder = "worktrees"

/** Where worktrees are: below the state directory, which only the user can write. */
export const openWorktreeDirectory = Effect.map(openStateDirectory(folder), (directory) => join(directory, folder))

export const newPath = (directory: string, name: string, { gitDirectory }: Repository) =>
  join(directory, directoryName(name, gitDirectory))

/** The worktree of a row; fails if its repository is no longer there. */
export const openWorktree = Effect.fn(...untraced("OpenWorktree.openWorktree"))(function* (row: WorktreeRow) {
  const repository = yield* findRepository(row.top)
  if (repository.gitDirectory !== row.gitDirectory) {
    const problem = `${JSON.stringify(row.top)} is no longer the repository of the worktree ${row.name}: move the repository back, or remove the worktree (reins worktrees remove ${row.name})`
    return yield* new GitFailed({ problem })
  }
  return yield* worktreeIn(repository, row)
})

/** The worktree of a row, whose path is the one that this home gives: its files are removed without a question. */
export const worktreeIn = Effect.fn(...untraced("OpenWorktree.worktreeIn"))(function* (
  repository: Repository,
  { name, path }: WorktreeRow
) {
  const expected = newPath(yield* openWorktreeDirectory, name, repository)
  if (path !== expected) {
    const problem = `${name} is at ${JSON.stringify(path)}, and not below the state directory of now, ${JSON.stringify(dirname(expected))}: set XDG_STATE_HOME as it was then`
    return yield* new GitFailed({ problem })
  }
  const worktree: LastingWorktree = { repository, name, path }
  return worktree
})

/** Held until the scope closes; fails at once while another process changes it. */
export const holdWorktree = Effect.fn(...untraced("OpenWorktree.holdWorktree"))(function* (
  worktree: LastingWorktree
): Effect.fn.Return<void, WorktreeBusy | WorktreeRefused, Scope.Scope> {
  const { tryLock } = yield* FileLocks
  const isMine = yield* Effect.mapError(
    tryLock(changeLockOf(worktree)),
    ({ message }) => new WorktreeRefused({ problem: message })
  )
  if (!isMine) return yield* new WorktreeBusy({ worktree: worktree.name })
})

/** Fails while a turn of its conversation runs. Turns of a live session have no lock of their own: it holds the conversation. */
export const refuseAtWork = Effect.fn(...untraced("OpenWorktree.refuseAtWork"))(function* (
  { store, turns }: WorktreeContext,
  { conversation, name }: WorktreeRow
) {
  const key = keyOfText(conversation)
  const begun = (yield* openTurns(store, conversation)).filter(({ state }) => state !== "queued")
  for (const { turnId } of begun) {
    const isHeld =
      key !== undefined && (yield* whoHolds({ what: "conversation", key, store: store.place })) !== undefined
    if (isHeld || (yield* turns.isTaken(turnId))) return yield* new WorktreeBusy({ worktree: name })
  }
})
