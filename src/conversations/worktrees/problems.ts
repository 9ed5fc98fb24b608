/** Failures of git and of the store as the error of worktrees. */
import { Effect } from "effect"
import { StoreUnavailable } from "../../contract/AgentError.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import {
  Conflicting,
  WorktreeError,
  type WorktreeReason,
  WorktreeRefused,
  WouldOverwrite
} from "../../contract/WorktreeError.ts"
import type { StateUnusable } from "../../system/locks/stateDirectory.ts"
import type { ChangesConflict, FilesChanged } from "../../system/worktrees/applyChanges.ts"
import type { GitFailed } from "../../system/worktrees/git.ts"

type Problem = GitFailed | StateUnusable | FilesChanged | ChangesConflict | StoreError | WorktreeReason | WorktreeError

const reasonOf = (error: Exclude<Problem, WorktreeError>): WorktreeReason => {
  switch (error._tag) {
    case "GitFailed":
    case "StateUnusable":
      return new WorktreeRefused({ problem: error.problem })
    case "FilesChanged":
      return new WouldOverwrite({ paths: error.paths })
    case "ChangesConflict":
      return new Conflicting({ paths: error.paths })
    case "StoreError": {
      const { reason } = error
      if (reason._tag === "SessionBusy" || reason._tag === "InvalidParams" || reason._tag === "StoreUnavailable")
        return reason
      return new StoreUnavailable({ problem: reason.message })
    }
    default:
      return error
  }
}

export const asWorktreeError = <A, R>(work: Effect.Effect<A, Problem, R>): Effect.Effect<A, WorktreeError, R> =>
  Effect.mapError(work, (error) =>
    error._tag === "WorktreeError" ? error : new WorktreeError({ reason: reasonOf(error) })
  )
