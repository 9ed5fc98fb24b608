/** Requested changes of the model and the permission mode, which wait for the CLI, and the guard of the mode. */
import { Deferred, Effect } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { Action, Change, Dialogue, Output } from "../../cli/Live.ts"
import { AgentFailed, type FailureReason } from "../../contract/AgentError.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import { modeMismatch, weaker } from "../engine/sessionChecks.ts"

/**
 * Ends a live session whose CLI reports a weaker permission mode than requested, before further output is read. A requested
 * weaker mode may be reported at once, a stricter one must be from the next turn on; an allowed plan ends plan mode.
 * Without `permissionMode` any may be reported, until one is requested.
 */
export const makeModeGuard = (cli: Pick<Cli, "reportedMode">, permissionMode: PermissionMode | undefined) => {
  /** The weakest mode that the CLI may report in this turn, and from the next on; undefined for any. */
  let limit = permissionMode
  let next = permissionMode
  /** The weakest mode ever requested: an agent that leaves plan mode returns to an earlier mode. */
  let weakest: PermissionMode = permissionMode === undefined ? "bypass" : weaker("default", permissionMode)
  const changes = new Map<string, PermissionMode>()

  const loosened = (mode: PermissionMode | undefined, by: PermissionMode) => mode && weaker(mode, by)

  const track = (action: Action) => {
    if (action._tag !== "Changed") return
    const mode = changes.get(action.changeId)
    changes.delete(action.changeId)
    if (mode === undefined || action.problem !== undefined) return
    next = mode
    weakest = weaker(weakest, mode)
  }

  return {
    /** The outputs up to the report of a weaker mode, which is a failure. */
    checked: (outputs: ReadonlyArray<Output>): ReadonlyArray<Output> => {
      for (const [index, output] of outputs.entries()) {
        if ("_tag" in output) {
          track(output)
          continue
        }
        const reason = modeMismatch(cli, limit, output)
        if (reason !== undefined) return [...outputs.slice(0, index + 1), { _tag: "Failed", reason }]
      }
      return outputs
    },
    turnBegins: () => {
      limit = Array.from(changes.values()).reduce(loosened, next)
    },
    /** Called before the CLI gets the permission. */
    planAllowed: () => {
      limit = loosened(limit, weakest)
      next = loosened(next, weakest)
    },
    requested: (changeId: string, mode: PermissionMode) => {
      changes.set(changeId, mode)
      // The CLI may report the mode before it confirms the change.
      limit = loosened(limit, mode)
    }
  }
}

export interface ChangesOptions {
  readonly cli: Pick<Cli, "reportedMode">
  readonly permissionMode: PermissionMode | undefined
  readonly dialogue: Pick<Dialogue, "change">
  readonly perform: (outputs: ReadonlyArray<Output>) => void
  readonly redact: (failure: FailureReason) => FailureReason
}

export type Changes = ReturnType<typeof makeChanges>

export const makeChanges = ({ cli, permissionMode, dialogue, perform, redact }: ChangesOptions) => {
  const open = new Map<string, Deferred.Deferred<void, FailureReason>>()
  let count = 0
  let ended: FailureReason | undefined
  const changes = {
    open,
    /** Undefined until a mode is requested. */
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
    /** Fails all open changes, and further ones. */
    end: (failure: FailureReason) => {
      ended = failure
      for (const change of open.values()) Deferred.doneUnsafe(change, Effect.fail(failure))
      open.clear()
    }
  }
  return changes
}
