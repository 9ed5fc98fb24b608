/**
 * Ends a live session whose CLI reports a weaker permission mode than requested, before further output is read. A requested
 * weaker mode may be reported at once, a stricter one must be from the next turn on; an allowed plan ends plan mode. Plain
 * state around a dialogue.
 */

import type { Cli } from "../cli/Cli.ts"
import { type Action, type Dialogue, isAction, type Output } from "../cli/Live.ts"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"
import { modeMismatch, weaker } from "../engine/modeMismatch.ts"

export const withModeGuard = (
  cli: Pick<Cli, "reportedMode">,
  permissionMode: PermissionMode | undefined,
  dialogue: Dialogue
): Dialogue => {
  /** The weakest mode that the CLI may report in this turn, and from the next on; undefined for any. */
  let limit = permissionMode
  let next = permissionMode
  /** The weakest mode ever requested: an agent that leaves plan mode returns to an earlier mode. */
  let weakest: PermissionMode = permissionMode === undefined ? "bypass" : weaker("default", permissionMode)
  const plans = new Set<string>()
  const changes = new Map<string, PermissionMode>()

  const loosened = (mode: PermissionMode | undefined, by: PermissionMode) => mode && weaker(mode, by)

  const track = (action: Action) => {
    if (action._tag === "Asked" && action.ask.kind === "plan") plans.add(action.ask.requestId)
    if (action._tag !== "Changed") return
    const mode = changes.get(action.changeId)
    changes.delete(action.changeId)
    if (mode === undefined || action.problem !== undefined) return
    next = mode
    weakest = weaker(weakest, mode)
  }

  const checked = (outputs: ReadonlyArray<Output>): ReadonlyArray<Output> => {
    for (const [index, output] of outputs.entries()) {
      if (isAction(output)) {
        track(output)
        continue
      }
      const reason = modeMismatch(cli, limit, output)
      if (reason !== undefined) return [...outputs.slice(0, index + 1), { _tag: "Failed", reason }]
    }
    return outputs
  }

  return {
    ...dialogue,
    open: () => checked(dialogue.open()),
    push: (json) => checked(dialogue.push(json)),
    turn: (prompt) => {
      limit = Array.from(changes.values()).reduce(loosened, next)
      return checked(dialogue.turn(prompt))
    },
    decide: (requestId, decision) => {
      if (plans.delete(requestId) && decision.decision === "allow") {
        limit = loosened(limit, weakest)
        next = loosened(next, weakest)
      }
      return checked(dialogue.decide(requestId, decision))
    },
    change: (changeId, change) => {
      if (change._tag === "PermissionMode") {
        changes.set(changeId, change.permissionMode)
        // The CLI may report it before it says that the change is made.
        limit = loosened(limit, change.permissionMode)
      }
      return checked(dialogue.change(changeId, change))
    }
  }
}
