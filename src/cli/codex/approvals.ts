/**
 * Commands, patches and MCP calls that Codex wants allowed (0.169.0) → what a person is asked, or the answer that the
 * permission mode gives by itself. A request tells little: what it is about was told by the item before it.
 */
import type { AgentEvent } from "../../AgentEvent.ts"
import type { PermissionMode } from "../../AgentExecuteParams.ts"
import type { RpcId } from "../jsonRpc.ts"
import type { Decision, Offer, PermissionAsk } from "../Live.ts"
import type { Escalations } from "./escalations.ts"
import { editsOf, isWhole, pathsOf } from "./fileEdits.ts"
import { type InnerCommand, innerCommand } from "./innerCommand.ts"
import type { OpenCall, ToolCalls } from "./liveItems.ts"
import { type CommandAsk, type Item, readCommandAsk, readElicitation, readFileAsk, readThreadId } from "./liveWire.ts"
import { isInside } from "./modes.ts"
import { approval, keyOf, type Ledger, type Outputs, type Owed } from "./owed.ts"

interface Wanted {
  readonly toolId: string
  readonly open: OpenCall
  /** The `tool_use` that was not told before. */
  readonly told: ReadonlyArray<AgentEvent>
  readonly command?: InnerCommand
  readonly directory?: string | undefined
  readonly doubt?: string | undefined
  readonly reason?: string | null | undefined
  /** What the request says of the input, where the call does not say the same. */
  readonly input?: unknown
  readonly rest?: unknown
  readonly offers?: ReadonlyArray<Offer>
  /** It would be done outside the sandbox, for all that is known. */
  readonly isEscalated: boolean
  /** Codex tells neither that nor the opposite. */
  readonly mayBeOrdinary?: boolean
  readonly isElicited: boolean
}

export const approvalMethods: ReadonlySet<string> = new Set([
  "item/commandExecution/requestApproval",
  "item/fileChange/requestApproval",
  "mcpServer/elicitation/request"
])

/** A mode that answers by itself. */
const answerOf = (mode: PermissionMode, wanted: Wanted, directories: ReadonlyArray<string>) => {
  const { open, isEscalated, mayBeOrdinary = false } = wanted
  const { item } = open
  const isPatch = item.type === "fileChange"
  if (mode === "bypass") return "accept"
  // What is accepted is done, whatever the sandbox: a patch is written, an escalated command runs outside.
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

const given = <Name extends string, A>(name: Name, value: A | null | undefined) =>
  value == null || value === "" ? {} : ({ [name]: value } as { readonly [Key in Name]: A }) // one member of this name

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
    ...(isFileChange ? { ...filesOf(open), ...(isWhole(open.item) ? {} : { isUntold: true }) } : {}),
    // Of commands and patches the other fields say all that there is.
    ...(wanted.isElicited ? {} : { rest: wanted.rest }),
    ...given("offers", offers),
    takesInput: false
  }
}

/** The call it is about; one that was not told before is told now. */
const called = (calls: ToolCalls, item: Item, knownId = item.id) => {
  const known = calls.get(knownId)
  if (known !== undefined) return { toolId: knownId, open: known, told: [] }
  const told = calls.started(item) ?? []
  const open = calls.get(item.id)
  return open === undefined ? undefined : { toolId: item.id, open, told }
}

/** Of a command for a shell; what is written to one that runs already is none. */
const doubtOf = ({ kind, command, approvalId }: CommandAsk, announced: unknown): string | undefined => {
  if (kind != null && kind !== "command") return "This is no command of its own, but input for one that is running"
  // With an id of its own, it is a part of the command that was announced.
  if (command == null || approvalId != null || announced === undefined || announced === command) return undefined
  return `Another command was announced before: ${String(announced)}`
}

/** The prefix of commands that Codex offers to ask about no more. */
const offersOf = ({ proposedExecpolicyAmendment, cwd }: CommandAsk): ReadonlyArray<Offer> => {
  const words = proposedExecpolicyAmendment ?? []
  if (words.length === 0 || !words.every((word) => /^[\w./:=@%+,-]+$/.test(word))) return []
  const prefix = words.join(" ")
  const match = {
    kinds: ["command"],
    commands: [prefix, `${prefix} *`],
    ...(cwd ? { directories: [cwd] } : {})
  } as const
  const place = cwd ? ` in ${cwd}` : ""
  return [
    {
      label: `all commands that begin with: ${prefix}`,
      covers: `Every single command that begins with "${prefix}", with any arguments,${place} and in the sandbox, until this session ends.`,
      match
    }
  ]
}

const untoldEscalation = "Codex does not tell here whether this would stay in its sandbox"

const wantedCommand = (calls: ToolCalls, params: unknown, escalationOf: Escalations["of"]): Wanted | undefined => {
  const read = readCommandAsk(params)
  if (read === undefined) return undefined
  const { itemId, command, cwd, reason, networkApprovalContext: network, additionalPermissions: more } = read
  const item = { type: "commandExecution", id: itemId, command, cwd }
  const found = called(calls, item)
  if (found === undefined) return undefined
  const context = { ...given("networkApprovalContext", network), ...given("additionalPermissions", more) }
  const isTold = [reason, network, more].some((sign) => sign != null)
  const escalation = isTold || escalationOf(itemId)
  return {
    ...found,
    ...(command == null ? {} : { command: innerCommand(command) }),
    directory: cwd ?? undefined,
    doubt: doubtOf(read, found.open.item["command"]),
    reason: reason ?? (escalation === undefined ? untoldEscalation : undefined),
    input: { ...(command == null ? {} : { command }), ...context },
    rest: context,
    offers: offersOf(read),
    isEscalated: escalation !== false,
    mayBeOrdinary: escalation === undefined,
    isElicited: false
  }
}

const wantedPatch = (calls: ToolCalls, params: unknown): Wanted | undefined => {
  const read = readFileAsk(params)
  if (read === undefined) return undefined
  const found = called(calls, { type: "fileChange", id: read.itemId, changes: [] })
  if (found === undefined) return undefined
  const { reason, grantRoot } = read
  const root = given("grantRoot", grantRoot)
  return {
    ...found,
    reason,
    ...(grantRoot == null ? {} : { input: { ...Object(found.open.input), ...root } }),
    rest: root,
    isEscalated: reason != null || grantRoot != null,
    isElicited: false
  }
}

/** It does not name the call. */
const wantedMcp = (calls: ToolCalls, params: unknown, id: RpcId, asked: ReadonlySet<string>): Wanted | undefined => {
  const read = readElicitation(params)
  const facts = read?._meta
  if (read === undefined || facts?.codex_approval_kind !== "mcp_tool_call") return undefined
  const [server, tool, input] = [read.serverName ?? "", facts.tool_name ?? "", facts.tool_params ?? {}]
  const same = JSON.stringify(input)
  const item = { type: "mcpToolCall", id: `approval-${keyOf(id)}`, server, tool, arguments: input }
  const isFree = (toolId: string, open: OpenCall) =>
    !asked.has(toolId) && open.item["server"] === server && open.item["tool"] === tool
  const isExact = (toolId: string, open: OpenCall) =>
    isFree(toolId, open) && JSON.stringify(open.item["arguments"] ?? {}) === same
  const [knownId] = calls.find(isExact) ?? calls.find(isFree) ?? []
  const found = called(calls, item, knownId)
  return found && { ...found, input, reason: read.message, isEscalated: false, isElicited: true }
}

export interface ApprovalsContext {
  readonly escalations: Escalations
  readonly ledger: Ledger
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
      const { ledger, calls, mode, directories } = context
      const wanted = wantedOf(context, id, method, params)
      if (wanted === undefined) return undefined
      const { toolId, open, told, isElicited } = wanted
      if (isElicited) asked.add(toolId)
      const threadId = readThreadId(params)?.threadId ?? ""
      const owed: Owed = { _tag: "Approval", threadId, toolId, title: open.title, isElicited }
      const key = ledger.add(id, owed)
      if (key === undefined) return undefined
      calls.decided(toolId)
      const word = answerOf(mode, wanted, directories)
      if (word === undefined) return [...told, { _tag: "Asked", ask: askOf(key, wanted) }]
      if (word === "decline") calls.denied({ toolName: open.toolName, toolId })
      const notices = word === "decline" ? [deniedNotice(wanted)] : []
      return [...told, ...notices, ...ledger.settle(key, approval(owed, word))]
    },
    decide: ({ ledger }, requestId, decision) => {
      const owed = ledger.get(requestId, "Approval")
      if (owed === undefined) return []
      if (decision.decision === "allow") return ledger.settle(requestId, approval(owed, "accept"))
      return ledger.settle(requestId, approval(owed, decision.interrupt === true ? "cancel" : "decline"))
    }
  }
}
