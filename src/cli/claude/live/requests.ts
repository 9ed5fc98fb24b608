/**
 * Requests of Claude Code to its host in a live session, and the one answer to each: permission, questions, hooks, MCP
 * (2.1.328). An unknown request is refused at once: the CLI must never be left waiting.
 */
import { Predicate, Result } from "effect"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { Decision } from "../../../contract/Ask.ts"
import { hostServer } from "../../../contract/HostTool.ts"
import { jsonProblem } from "../../../contract/json.ts"
import type { Answers } from "../../../contract/SessionEvent.ts"
import type { Output } from "../../Live.ts"
import { hasDenials, rulesCallback } from "./handshake.ts"
import { cancelledBy, mcpAnswer } from "./mcpMessages.ts"
import { askOf } from "./permission.ts"
import { answered, noAnswers, questionsOf, questionTool } from "./questions.ts"
import type { Transcript } from "./transcript.ts"
import { type CanUseTool, decodeRequest, type HookCallback, type McpMessage } from "./wire.ts"

type Outputs = ReadonlyArray<Output>

interface Asked {
  readonly kind: "permission" | "question"
  readonly input: unknown
  /** By a sub-agent, which may outlive the turn. */
  readonly isNested: boolean
}

type Called = { readonly kind: "hook" | "rules" } | { readonly kind: "mcp"; readonly message: unknown }

/** Requests that wait for an answer. The first answer removes a request, so each gets one. */
export interface Requests {
  readonly hooks: number
  readonly hasDenials: boolean
  readonly hasTools: boolean
  readonly transcript: Transcript
  readonly asked: Map<string, Asked>
  readonly called: Map<string, Called>
}

export const makeRequests = (params: AgentOpenParams, transcript: Transcript): Requests => ({
  hooks: params.hooks?.length ?? 0,
  hasDenials: hasDenials(params),
  hasTools: (params.tools?.length ?? 0) > 0,
  transcript,
  asked: new Map(),
  called: new Map()
})

const write = (response: Readonly<Record<string, unknown>>): Output => ({
  _tag: "Write",
  json: { type: "control_response", response }
})

const succeed = (requestId: string, response: unknown): Output =>
  write({ subtype: "success", request_id: requestId, response })

const fail = (requestId: string, error: string): Output => write({ subtype: "error", request_id: requestId, error })

const refuse = (requestId: string, raw: unknown, problem: string): Outputs => [
  { type: "unknown", raw },
  fail(requestId, problem)
]

/** An answer to it would have to repeat it. */
const unanswerable = (request: CanUseTool | McpMessage, problem: string): Output => {
  const what = request.subtype === "can_use_tool" ? `A call of ${request.tool_name}` : "A message of MCP"
  return { type: "notice", kind: "permission_denied", message: `${what} was denied: its content ${problem}` }
}

export const ask = (
  requests: Requests,
  { requestId, request, raw }: { readonly requestId: string; readonly request: unknown; readonly raw: unknown }
): Outputs => {
  if (requests.asked.has(requestId) || requests.called.has(requestId)) return []
  const decoded = decodeRequest(request)
  if (Result.isFailure(decoded)) return refuse(requestId, raw, "this host does not know such a request")
  const known = decoded.success
  if (known.subtype !== "hook_callback") {
    const problem = jsonProblem(known)
    if (problem !== undefined) return [unanswerable(known, problem), fail(requestId, `its content ${problem}`)]
  }
  switch (known.subtype) {
    case "can_use_tool":
      return canUseTool(requests, requestId, known) ?? refuse(requestId, raw, "there is no question")
    case "hook_callback":
      return hookCallback(requests, requestId, known) ?? refuse(requestId, raw, "this host has no such hook")
    case "mcp_message":
      return mcpMessage(requests, requestId, known) ?? refuse(requestId, raw, "this host has no such server")
  }
}

const canUseTool = ({ asked, transcript }: Requests, requestId: string, request: CanUseTool): Outputs | undefined => {
  const { input = {} } = request
  const toolId = request.tool_use_id ?? requestId
  const isNested = request.agent_id != null
  const questions = request.tool_name === questionTool ? questionsOf(input) : undefined
  if (questions?.length === 0) return undefined
  transcript.announced(toolId)
  const { use, parentToolId } = transcript.called(toolId, request)
  asked.set(requestId, { kind: questions === undefined ? "permission" : "question", input, isNested })
  return questions === undefined
    ? [...use, { _tag: "Asked", ask: askOf(requestId, toolId, request, parentToolId) }]
    : [...use, { _tag: "Questioned", requestId, toolId, questions }]
}

/** Runs before a tool is called, whether or not the CLI will ask about it. */
const checkedTool = ({ called, transcript }: Requests, callId: string, request: HookCallback): Outputs | undefined => {
  const { input } = request
  const toolName = Predicate.hasProperty(input, "tool_name") ? input.tool_name : undefined
  if (!Predicate.isString(toolName)) return undefined
  const toolInput = Predicate.hasProperty(input, "tool_input") ? input.tool_input : {}
  const toolId = request.tool_use_id ?? callId
  called.set(callId, { kind: "rules" })
  const asked: CanUseTool = { subtype: "can_use_tool", tool_name: toolName, input: toolInput }
  const { use, parentToolId } = transcript.called(toolId, asked)
  return [...use, { _tag: "Checked", callId, ask: askOf(callId, toolId, asked, parentToolId) }]
}

const hookCallback = (requests: Requests, callId: string, request: HookCallback): Outputs | undefined => {
  const { called, hooks, hasDenials } = requests
  if (hasDenials && request.callback_id === rulesCallback) return checkedTool(requests, callId, request)
  const hook = Number(request.callback_id)
  if (!Number.isInteger(hook) || hook < 0 || hook >= hooks) return undefined
  called.set(callId, { kind: "hook" })
  return [{ _tag: "HookCalled", callId, hook, input: request.input }]
}

const mcpMessage = ({ called, hasTools }: Requests, callId: string, request: McpMessage): Outputs | undefined => {
  if (!hasTools || request.server_name !== hostServer) return undefined
  const { message } = request
  const given = [...called].filter(([, call]) => call.kind === "mcp" && cancelledBy(message, call.message))
  for (const [id] of given) called.delete(id)
  called.set(callId, { kind: "mcp", message })
  const withdrawn = given.map(([requestId]): Output => ({ _tag: "Withdrawn", requestId }))
  return [...withdrawn, { _tag: "McpCalled", callId, message }]
}

const verdictOn = (decision: Decision, input: unknown) => {
  // Without the input, the CLI finds the answer invalid.
  if (decision.decision === "allow") return { behavior: "allow", updatedInput: decision.input ?? input }
  const { message, interrupt } = decision
  return { behavior: "deny", message, ...(interrupt === true ? { interrupt } : {}) }
}

const take = ({ asked }: Requests, requestId: string, kind: Asked["kind"]) => {
  const found = asked.get(requestId)
  if (found?.kind !== kind) return undefined
  asked.delete(requestId)
  return found
}

export const decide = (requests: Requests, requestId: string, decision: Decision): Outputs => {
  const asked = take(requests, requestId, "permission")
  return asked === undefined ? [] : [succeed(requestId, verdictOn(decision, asked.input))]
}

export const answer = (requests: Requests, requestId: string, answers: Answers | undefined): Outputs => {
  const asked = take(requests, requestId, "question")
  if (asked === undefined) return []
  const { input } = asked
  const decision: Decision =
    answers === undefined
      ? { decision: "deny", message: noAnswers }
      : { decision: "allow", input: answered(input, answers) }
  return [succeed(requestId, verdictOn(decision, input))]
}

const forbidden = (permissionDecisionReason: string) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason }
})

export const reply = ({ called }: Requests, callId: string, given: unknown): Outputs => {
  const call = called.get(callId)
  if (call === undefined) return []
  called.delete(callId)
  if (call.kind === "mcp") return [succeed(callId, { mcp_response: mcpAnswer(call.message, given) })]
  const output = call.kind === "rules" && Predicate.isString(given) ? forbidden(given) : given
  return [succeed(callId, Predicate.isObject(output) ? output : {})]
}

export const cancel = ({ asked, called }: Requests, requestId: string): Outputs =>
  asked.delete(requestId) || called.delete(requestId) ? [{ _tag: "Withdrawn", requestId }] : []

/** The turn was broken off: nothing that its main thread asked is waited for. */
export const drop = (requests: Requests): Outputs =>
  [...requests.asked].flatMap(([requestId, { isNested }]) => (isNested ? [] : cancel(requests, requestId)))
