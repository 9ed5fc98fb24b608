/**
 * Ends a live session whose CLI reports a weaker permission mode than requested, before further output is read. A requested
 * weaker mode may be reported at once, a stricter one must be from the next turn on; an allowed plan ends plan mode. Plain
 * state of one session.
 */

import type { Cli } from "../../cli/Cli.ts"
import type { Action, Output } from "../../cli/Live.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import { modeMismatch, weaker } from "../engine/sessionChecks.ts"

export interface ModeGuard {
  /** The outputs up to the report of a weaker mode, which is a failure. */
  readonly checked: (outputs: ReadonlyArray<Output>) => ReadonlyArray<Output>
  readonly turnBegins: () => void
  /** Called before the CLI is told. */
  readonly planAllowed: () => void
  readonly requested: (changeId: string, mode: PermissionMode) => void
}

/** Without a mode any may be reported, until one is requested. */
export const makeModeGuard = (
  cli: Pick<Cli, "reportedMode">,
  permissionMode: PermissionMode | undefined
): ModeGuard => {
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
    checked: (outputs) => {
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
    planAllowed: () => {
      limit = loosened(limit, weakest)
      next = loosened(next, weakest)
    },
    requested: (changeId, mode) => {
      changes.set(changeId, mode)
      // The CLI may report it before it says that the change is made.
      limit = loosened(limit, mode)
    }
  }
}
