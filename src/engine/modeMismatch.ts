/**
 * Whether the permission mode that a CLI reports is as strict as the one that was asked for; pure. A word that is not
 * known counts as the weakest. Nothing was asked for, or nothing is reported: nothing is wrong.
 */

import type { Cli } from "../cli/Cli.ts"
import { PermissionModeMismatch } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"

const freedom: Readonly<Record<PermissionMode, number>> = { plan: 0, default: 1, "accept-edits": 2, bypass: 3 }

/** The one that lets the agent do more. */
export const weaker = (one: PermissionMode, other: PermissionMode): PermissionMode =>
  freedom[one] >= freedom[other] ? one : other

export const modeMismatch = (
  { reportedMode }: Pick<Cli, "reportedMode">,
  asked: PermissionMode | undefined,
  event: AgentEvent
): PermissionModeMismatch | undefined => {
  if (event.type !== "session" || asked === undefined) return undefined
  const { permissionMode: reported } = event
  if (reported === undefined || reportedMode === undefined) return undefined
  const isStrict = freedom[reportedMode(reported) ?? "bypass"] <= freedom[asked]
  return isStrict ? undefined : new PermissionModeMismatch({ asked, reported })
}
