/**
 * Whether the permission mode that a CLI reports is at least as strict as the requested one; pure. An unknown mode counts as
 * the weakest. Without a requested or a reported mode there is no mismatch.
 */

import type { Cli } from "../../cli/Cli.ts"
import { PermissionModeMismatch } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"

const freedom: Readonly<Record<PermissionMode, number>> = { plan: 0, default: 1, "accept-edits": 2, bypass: 3 }

/** The less strict of two modes. */
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
