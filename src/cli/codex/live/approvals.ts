/** Requests of Codex (0.169.0) → a permission request, or the answer that the permission mode implies; pure. */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import type { PermissionAsk } from "../../../contract/Rule.ts"
import {
  type ApprovalRequest,
  commandApproval,
  type Escalations,
  mcpApproval,
  nonEmpty,
  patchApproval
} from "./approvalRequest.ts"
import { filesOf, isWhole, pathsOf } from "./fileEdits.ts"
import type { ToolCalls } from "./items.ts"
import { isInside } from "./modes.ts"
import type { Request } from "./wire.ts"

export const approvalMethods: ReadonlySet<string> = new Set([
  "item/commandExecution/requestApproval",
  "item/fileChange/requestApproval",
  "mcpServer/elicitation/request"
])

export interface ApprovalContext {
  readonly threadId: string
  readonly escalations: Escalations
  readonly calls: ToolCalls
  readonly mode: PermissionMode
  /** The working directory, then the others that may be written. */
  readonly directories: ReadonlyArray<string>
}

/** Undefined for an unknown form, or if no call needs approval. `elicited`: MCP calls whose approval was requested. */
export const approvalOf = (
  { calls, escalations }: ApprovalContext,
  { id, method, params }: Request,
  elicited: ReadonlySet<string>
): ApprovalRequest | undefined => {
  if (method === "item/commandExecution/requestApproval") return commandApproval(calls, params, escalations.of)
  if (method === "item/fileChange/requestApproval") return patchApproval(calls, params)
  return mcpApproval(calls, params, id, elicited)
}

/** The answer that the mode implies; undefined where the request has to be decided. */
export const answerOf = ({ mode, directories }: ApprovalContext, approval: ApprovalRequest) => {
  const { open, isEscalated, mayBeOrdinary = false } = approval
  const { item } = open
  const isPatch = item.type === "fileChange"
  if (mode === "bypass") return "accept"
  // Acceptance overrides the sandbox: a patch is written, an escalated command runs outside.
  if (mode === "plan" && (isPatch || (isEscalated && !mayBeOrdinary))) return "decline"
  const isOrdinary =
    isPatch && !isEscalated && isWhole(item) && pathsOf(item).every((path) => isInside(directories, path))
  return mode === "accept-edits" && isOrdinary ? "accept" : undefined
}

export const askOf = (requestId: string, approval: ApprovalRequest): PermissionAsk => {
  const { toolId, open, command, directory, doubt, reason, isEscalated, input, offers } = approval
  const isFileChange = open.item.type === "fileChange"
  return {
    requestId,
    toolName: open.toolName,
    toolId,
    kind: open.kind,
    input: input ?? open.input,
    title: open.title,
    escalated: isEscalated,
    ...(command === undefined ? {} : { command: command.text }),
    ...(command?.isCertain === false ? { isCommandUncertain: true } : {}),
    ...nonEmpty({ directory, doubt, reason }),
    ...(isFileChange ? { ...filesOf(open.item), ...(isWhole(open.item) ? {} : { isIncomplete: true }) } : {}),
    // For commands and patches the other fields are complete.
    ...(approval.isElicited ? {} : { rest: approval.rest }),
    ...nonEmpty({ offers }),
    takesInput: false
  }
}

export const declinedNotice = ({ toolId, open }: ApprovalRequest): AgentEvent => ({
  type: "notice",
  kind: "permission_denied",
  message: `Declined in plan mode: ${open.title}`,
  data: { toolName: open.toolName, toolId }
})
