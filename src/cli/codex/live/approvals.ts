/**
 * Commands, patches and MCP calls that Codex asks about (0.169.0) → a permission request, or the answer that the
 * permission mode implies. A request has few facts: the item before it has the others.
 */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import type { Decision, PermissionAsk } from "../../../contract/Ask.ts"
import type { RpcId } from "../../jsonRpc.ts"
import type { Escalations } from "./escalations.ts"
import { editsOf, isWhole, pathsOf } from "./fileEdits.ts"
import type { OpenCall, ToolCalls } from "./items.ts"
import { isInside } from "./modes.ts"
import { approval, type OpenRequest, type OpenRequests, type Outputs } from "./openRequests.ts"
import { given, type Wanted, wantedCommand, wantedMcp, wantedPatch } from "./wanted.ts"
import { readThreadId } from "./wire.ts"

export const approvalMethods: ReadonlySet<string> = new Set([
  "item/commandExecution/requestApproval",
  "item/fileChange/requestApproval",
  "mcpServer/elicitation/request"
])

/** The answer that the mode implies; undefined where the request has to be decided. */
const answerOf = (mode: PermissionMode, wanted: Wanted, directories: ReadonlyArray<string>) => {
  const { open, isEscalated, mayBeOrdinary = false } = wanted
  const { item } = open
  const isPatch = item.type === "fileChange"
  if (mode === "bypass") return "accept"
  // An accepted call is done whatever the sandbox: a patch is written, an escalated command runs outside.
  if (mode === "plan" && (isPatch || (isEscalated && !mayBeOrdinary))) return "decline"
  const isOrdinary =
    isPatch && !isEscalated && isWhole(item) && pathsOf(item).every((path) => isInside(directories, path))
  return mode === "accept-edits" && isOrdinary ? "accept" : undefined
}

const filesOf = ({ item }: OpenCall): Partial<PermissionAsk> => {
  const paths = pathsOf(item)
  const edits = editsOf(item)
  return { ...(paths.length === 0 ? {} : { paths }), ...(edits.length === 0 ? {} : { edits }) }
}

const askOf = (requestId: string, wanted: Wanted): PermissionAsk => {
  const { toolId, open, command, directory, doubt, reason, isEscalated, input, offers } = wanted
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
    ...given("directory", directory),
    ...given("doubt", doubt),
    ...given("reason", reason),
    ...(isFileChange ? { ...filesOf(open), ...(isWhole(open.item) ? {} : { isIncomplete: true }) } : {}),
    // For commands and patches the other fields are complete.
    ...(wanted.isElicited ? {} : { rest: wanted.rest }),
    ...given("offers", offers),
    takesInput: false
  }
}

export interface ApprovalsContext {
  readonly escalations: Escalations
  readonly openRequests: OpenRequests
  readonly calls: ToolCalls
  readonly mode: PermissionMode
  /** The working directory, then the others that may be written. */
  readonly directories: ReadonlyArray<string>
}

export interface Approvals {
  /** Undefined: it is of no known form, or no call is to be approved. */
  readonly ask: (context: ApprovalsContext, id: RpcId, method: string, params: unknown) => Outputs | undefined
  readonly decide: (context: ApprovalsContext, requestId: string, decision: Decision) => Outputs
}

const deniedNotice = ({ toolId, open }: Wanted): AgentEvent => ({
  type: "notice",
  kind: "permission_denied",
  message: `Declined in plan mode: ${open.title}`,
  data: { toolName: open.toolName, toolId }
})

export const makeApprovals = (): Approvals => {
  /** Calls of MCP that were asked about. */
  const asked = new Set<string>()

  const wantedOf = ({ calls, escalations }: ApprovalsContext, id: RpcId, method: string, params: unknown) => {
    if (method === "item/commandExecution/requestApproval") return wantedCommand(calls, params, escalations.of)
    if (method === "item/fileChange/requestApproval") return wantedPatch(calls, params)
    return wantedMcp(calls, params, id, asked)
  }

  return {
    ask: (context, id, method, params) => {
      const { openRequests, calls, mode, directories } = context
      const wanted = wantedOf(context, id, method, params)
      if (wanted === undefined) return undefined
      const { toolId, open, announcement, isElicited } = wanted
      if (isElicited) asked.add(toolId)
      const threadId = readThreadId(params)?.threadId ?? ""
      const openRequest: OpenRequest = { _tag: "Approval", threadId, toolId, title: open.title, isElicited }
      const key = openRequests.add(id, openRequest)
      if (key === undefined) return undefined
      calls.decided(toolId)
      const word = answerOf(mode, wanted, directories)
      if (word === undefined) return [...announcement, { _tag: "Asked", ask: askOf(key, wanted) }]
      if (word === "decline") calls.denied({ toolName: open.toolName, toolId })
      const notices = word === "decline" ? [deniedNotice(wanted)] : []
      return [...announcement, ...notices, ...openRequests.settle(key, approval(openRequest, word))]
    },
    decide: ({ openRequests }, requestId, decision) => {
      const openRequest = openRequests.get(requestId, "Approval")
      if (openRequest === undefined) return []
      if (decision.decision === "allow") return openRequests.settle(requestId, approval(openRequest, "accept"))
      return openRequests.settle(requestId, approval(openRequest, decision.interrupt === true ? "cancel" : "decline"))
    }
  }
}
