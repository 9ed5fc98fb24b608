/**
 * Requested changes of the model and the permission mode: each waits for the answer of the CLI. The guard of the mode is
 * there from the first request of a mode on, with the session or in its course.
 */
import { Deferred, Effect } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { Action, Change, Dialogue, Output } from "../../cli/Live.ts"
import { AgentFailed, type FailureReason } from "../../contract/AgentError.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import { type ModeGuard, makeModeGuard } from "./modeGuard.ts"

export interface ChangesOptions {
  readonly cli: Pick<Cli, "reportedMode">
  /** Requested with the session. */
  readonly permissionMode: PermissionMode | undefined
  readonly dialogue: Pick<Dialogue, "change">
  readonly perform: (outputs: ReadonlyArray<Output>) => void
  /** Redacts secrets. */
  readonly redact: (failure: FailureReason) => FailureReason
}

export interface Changes {
  readonly ask: (change: Change) => Effect.Effect<void, FailureReason>
  /** Pending changes, by id. */
  readonly open: ReadonlyMap<string, unknown>
  /** Undefined while no mode was requested. */
  readonly modeGuard: ModeGuard | undefined
  readonly answered: (answer: Extract<Action, { _tag: "Changed" }>) => void
  /** Fails all open changes, and further ones. */
  readonly end: (failure: FailureReason) => void
}

export const makeChanges = ({ cli, permissionMode, dialogue, perform, redact }: ChangesOptions): Changes => {
  const open = new Map<string, Deferred.Deferred<void, FailureReason>>()
  let count = 0
  let ended: FailureReason | undefined
  const changes = {
    open,
    modeGuard: permissionMode && makeModeGuard(cli, permissionMode),
    ask: (change: Change) =>
      Effect.suspend(() => {
        if (ended !== undefined) return Effect.fail(ended)
        count += 1
        const changeId = `change-${count}`
        const done = Deferred.makeUnsafe<void, FailureReason>()
        open.set(changeId, done)
        if (change._tag === "PermissionMode") {
          changes.modeGuard ??= makeModeGuard(cli, undefined)
          changes.modeGuard.requested(changeId, change.permissionMode)
        }
        perform(dialogue.change(changeId, change))
        return Deferred.await(done)
      }),
    answered: ({ changeId, problem }: Extract<Action, { _tag: "Changed" }>) => {
      const change = open.get(changeId)
      open.delete(changeId)
      if (change === undefined) return
      const refusal = { code: "change_refused", category: "invalid_request", detail: problem ?? "" } as const
      Deferred.doneUnsafe(change, problem === undefined ? Effect.void : Effect.fail(redact(new AgentFailed(refusal))))
    },
    end: (failure: FailureReason) => {
      ended = failure
      for (const change of open.values()) Deferred.doneUnsafe(change, Effect.fail(failure))
      open.clear()
    }
  }
  return changes
}
