/** The subject of a request of Codex (0.169.0): the call announced before it, further facts, and doubts. */
import { Result, Schema } from "effect"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { encodeJson } from "../../../contract/json.ts"
import type { Offer } from "../../../contract/Rule.ts"
import { at, present } from "../../jsonFields.ts"
import type { RpcId } from "../../jsonRpc.ts"
import { prefixOffer } from "../../outputs.ts"
import { type InnerCommand, innerCommand } from "../run/innerCommand.ts"
import type { OpenCall, ToolCalls } from "./items.ts"
import { type CommandAsk, type Item, readCommandAsk, readElicitation, readFileAsk, readRawCall } from "./wire.ts"

export interface ApprovalRequest {
  readonly toolId: string
  readonly open: OpenCall
  /** The `tool_use` of a call that was not announced before. */
  readonly announcement: ReadonlyArray<AgentEvent>
  readonly command?: InnerCommand
  readonly directory?: string | undefined
  readonly doubt?: string | undefined
  readonly reason?: string | null | undefined
  /** The input of the request, if it differs from that of the call. */
  readonly input?: unknown
  readonly rest?: unknown
  readonly offers?: ReadonlyArray<Offer>
  /** It would leave the sandbox, as far as known. */
  readonly isEscalated: boolean
  /** It is unknown whether it would leave the sandbox. */
  readonly mayBeOrdinary?: boolean
  readonly isElicited: boolean
}

/** The fields that are neither empty texts, undefined nor null. */
export const nonEmpty = <Fields extends Readonly<Record<string, unknown>>>(fields: Fields) =>
  present(fields, (value) => value !== "")

/** The call of a request; one that was not announced before is announced now. */
const called = (calls: ToolCalls, item: Item, knownId = item.id) => {
  const known = calls.get(knownId)
  if (known !== undefined) return { toolId: knownId, open: known, announcement: [] }
  const announcement = calls.started(item) ?? []
  const open = calls.get(item.id)
  return open === undefined ? undefined : { toolId: item.id, open, announcement }
}

/**
 * The commands that would leave the sandbox. A request shows that only by its reason, which a model may leave out. The model's
 * own call comes raw, before the request, in threads started with `experimentalRawEvents`; resumed and forked threads, and
 * sub-agents, have none.
 */
export interface Escalations {
  /** A raw call. */
  readonly observe: (params: unknown) => void
  /** Undefined if Codex has not printed the raw call. */
  readonly of: (callId: string) => boolean | undefined
}

const decodeArguments = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

/** Unknown words may mean anything. */
const isEscalated = (json: string): boolean => {
  const decoded = decodeArguments(json)
  if (Result.isFailure(decoded)) return true
  const input = decoded.success
  const place = at(input, "sandbox_permissions") ?? "use_default"
  const more = [at(input, "additional_permissions"), at(input, "with_escalated_permissions") || undefined]
  return place !== "use_default" || more.some((permission) => permission != null)
}

/** Approval is requested immediately or not at all. */
const mostKept = 1_000

export const makeEscalations = (): Escalations => {
  const calls = new Map<string, boolean>()
  return {
    observe: (params) => {
      const item = readRawCall(params)?.item
      if (item === undefined) return
      // A repeated id may be of either call.
      calls.set(item.call_id, isEscalated(item.arguments) || calls.get(item.call_id) === true)
      const [oldest] = calls.keys()
      if (calls.size > mostKept && oldest !== undefined) calls.delete(oldest)
    },
    of: (callId) => calls.get(callId)
  }
}

/** Doubts about a shell command; input for a running command has none. */
const doubtOf = ({ kind, command, approvalId }: CommandAsk, announced: unknown): string | undefined => {
  if (kind != null && kind !== "command") return "This is not a command, but input for one that is running"
  // A request with an id of its own is about a part of the announced command.
  if (command == null || approvalId != null || announced === undefined || announced === command) return undefined
  return `Another command was announced before: ${String(announced)}`
}

/** The prefix of commands that Codex offers to allow. */
const offersOf = ({ proposedExecpolicyAmendment: words, cwd }: CommandAsk): ReadonlyArray<Offer> => {
  if (words == null) return []
  return cwd
    ? prefixOffer(words, ` in ${cwd} and in the sandbox,`, { directories: [cwd] })
    : prefixOffer(words, " and in the sandbox,", {})
}

const unknownEscalation = "Codex does not report whether this would stay in its sandbox"

export const commandApproval = (
  calls: ToolCalls,
  params: unknown,
  escalationOf: Escalations["of"]
): ApprovalRequest | undefined => {
  const read = readCommandAsk(params)
  if (read === undefined) return undefined
  const { itemId, command, cwd, reason, networkApprovalContext: network, additionalPermissions: more } = read
  const item = { type: "commandExecution", id: itemId, command, cwd }
  const found = called(calls, item)
  if (found === undefined) return undefined
  const context = nonEmpty({ networkApprovalContext: network, additionalPermissions: more })
  const isStated = [reason, network, more].some((sign) => sign != null)
  const escalation = isStated || escalationOf(itemId)
  return {
    ...found,
    ...(command == null ? {} : { command: innerCommand(command) }),
    directory: cwd ?? undefined,
    doubt: doubtOf(read, found.open.item["command"]),
    reason: reason ?? (escalation === undefined ? unknownEscalation : undefined),
    input: { ...(command == null ? {} : { command }), ...context },
    rest: context,
    offers: offersOf(read),
    isEscalated: escalation !== false,
    mayBeOrdinary: escalation === undefined,
    isElicited: false
  }
}

export const patchApproval = (calls: ToolCalls, params: unknown): ApprovalRequest | undefined => {
  const read = readFileAsk(params)
  if (read === undefined) return undefined
  const found = called(calls, { type: "fileChange", id: read.itemId, changes: [] })
  if (found === undefined) return undefined
  const { reason, grantRoot } = read
  const root = nonEmpty({ grantRoot })
  return {
    ...found,
    reason,
    ...(grantRoot == null ? {} : { input: { ...Object(found.open.input), ...root } }),
    rest: root,
    isEscalated: reason != null || grantRoot != null,
    isElicited: false
  }
}

/** Undefined for a value that is nested too deep. */
const textOf = (value: unknown) => Result.getOrUndefined(encodeJson(value))

/** The request does not name the call. */
export const mcpApproval = (
  calls: ToolCalls,
  params: unknown,
  id: RpcId,
  elicited: ReadonlySet<string>
): ApprovalRequest | undefined => {
  const read = readElicitation(params)
  const facts = read?._meta
  if (read === undefined || facts?.codex_approval_kind !== "mcp_tool_call") return undefined
  const [server, tool, input] = [read.serverName ?? "", facts.tool_name ?? "", facts.tool_params ?? {}]
  const same = textOf(input)
  const item = { type: "mcpToolCall", id: `approval-${JSON.stringify(id)}`, server, tool, arguments: input }
  const isFree = (toolId: string, open: OpenCall) =>
    !elicited.has(toolId) && open.item["server"] === server && open.item["tool"] === tool
  const isExact = (toolId: string, open: OpenCall) =>
    isFree(toolId, open) && same !== undefined && textOf(open.item["arguments"] ?? {}) === same
  const [knownId] = calls.find(isExact) ?? calls.find(isFree) ?? []
  const found = called(calls, item, knownId)
  return found && { ...found, input, reason: read.message, isEscalated: false, isElicited: true }
}
