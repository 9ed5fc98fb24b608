/** Requests of Claude Code in a live session and the one answer to each (2.1.328): the CLI is never left waiting. */
import { Predicate, Result, Schema } from "effect"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { hostServer } from "../../../contract/HostTool.ts"
import { jsonProblem } from "../../../contract/json.ts"
import type { Decision } from "../../../contract/Rule.ts"
import type { Answers, Question } from "../../../contract/SessionEvent.ts"
import { at } from "../../jsonFields.ts"
import type { Output } from "../../Live.ts"
import { type Outputs, write } from "../../outputs.ts"
import { decodeLeniently, flag, optional, text, wireDecoder } from "../../wireDecoder.ts"
import { askOf } from "./permission.ts"
import type { Transcript } from "./transcript.ts"
import {
  type CanUseTool,
  decodeRequest,
  type HookCallback,
  hasDenials,
  type McpMessage,
  rulesCallback
} from "./wire.ts"

const questionTool = "AskUserQuestion"

/** The reply to the model in place of answers, worded as recorded with 2.1.330. */
const noAnswers =
  "Nobody can answer this now. That is no refusal: choose what you would recommend yourself, say which defaults you " +
  "chose, and go on with the task without asking again."

const WireQuestion = Schema.Struct({
  question: Schema.String,
  header: text,
  options: optional(
    Schema.Array(Schema.Union([Schema.String, Schema.Struct({ label: Schema.String, description: text })]))
  ),
  multiSelect: flag
})

const decode = decodeLeniently(wireDecoder(WireQuestion))

/** A list, or a single question that is the input itself. */
const questionsIn = (input: unknown): ReadonlyArray<unknown> =>
  Predicate.hasProperty(input, "questions") && Array.isArray(input.questions) ? input.questions : [input]

const questionOf = (question: typeof WireQuestion.Type): Question => ({
  question: question.question,
  ...(question.header ? { header: question.header } : {}),
  options: (question.options ?? []).map((option) => {
    if (Predicate.isString(option)) return { label: option }
    return { label: option.label, ...(option.description ? { description: option.description } : {}) }
  }),
  multiple: question.multiSelect === true,
  freeText: true
})

const questionsOf = (input: unknown): ReadonlyArray<Question> =>
  questionsIn(input).flatMap((question) => {
    const decoded = decode(question)
    return Result.isSuccess(decoded) ? [questionOf(decoded.success)] : []
  })

/** The input of the tool: the questions unchanged, and one text for each answered one (2.1.328). */
const answered = (input: unknown, answers: Answers) => ({
  questions: questionsIn(input),
  answers: Object.fromEntries(
    Object.entries(answers).flatMap(([question, chosen]) =>
      chosen.length === 0 ? [] : [[question, chosen.join(", ")] as const]
    )
  )
})

/** The answer to an MCP message. A notification needs one, too, in this form (2.1.328). */
const mcpAnswer = (message: unknown, reply: unknown) => {
  if (reply !== undefined) return reply
  const id = at(message, "id")
  if (id == null) return { jsonrpc: "2.0", result: {}, id: 0 }
  return { jsonrpc: "2.0", id, error: { code: -32603, message: "The server gave no answer" } }
}

/** Whether the notification cancels the request. */
const cancelledBy = (notification: unknown, request: unknown) => {
  const id = at(notification, "params", "requestId")
  return at(notification, "method") === "notifications/cancelled" && id != null && at(request, "id") === id
}

interface Asked {
  readonly kind: "permission" | "question"
  readonly input: unknown
  /** From a sub-agent, which may outlive the turn. */
  readonly isNested: boolean
}

type Called = { readonly kind: "hook" | "rules" } | { readonly kind: "mcp"; readonly message: unknown }

/** Pending requests. The first answer removes a request, so each gets one. */
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

const respond = (response: object): Output => write({ type: "control_response", response })

const succeed = (requestId: string, response: unknown): Output =>
  respond({ subtype: "success", request_id: requestId, response })

const fail = (requestId: string, error: string): Output => respond({ subtype: "error", request_id: requestId, error })

const refuse = (requestId: string, raw: unknown, problem: string): Outputs => [
  { type: "unknown", raw },
  fail(requestId, problem)
]

/** The notice about a request that an answer would have to repeat, and cannot. */
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
      return canUseTool(requests, requestId, known) ?? refuse(requestId, raw, "the question is missing")
    case "hook_callback":
      return hookCallback(requests, requestId, known) ?? refuse(requestId, raw, "this host has no such hook")
    case "mcp_message":
      return mcpMessage(requests, requestId, known) ?? refuse(requestId, raw, "this host has no such server")
  }
}

const canUseTool = (
  { asked: open, transcript }: Requests,
  requestId: string,
  request: CanUseTool
): Outputs | undefined => {
  const { input = {} } = request
  const toolId = request.tool_use_id ?? requestId
  const isNested = request.agent_id != null
  const questions = request.tool_name === questionTool ? questionsOf(input) : undefined
  if (questions?.length === 0) return undefined
  transcript.announced(toolId)
  const { use, parentToolId } = transcript.called(toolId, request)
  open.set(requestId, { kind: questions === undefined ? "permission" : "question", input, isNested })
  return questions === undefined
    ? [...use, { _tag: "Asked", ask: askOf(requestId, toolId, request, parentToolId) }]
    : [...use, { _tag: "Questioned", requestId, toolId, questions }]
}

/** Runs before a tool is called, whether or not the CLI will ask about it. */
const checkedTool = ({ called, transcript }: Requests, callId: string, request: HookCallback): Outputs | undefined => {
  const { input } = request
  const toolName = at(input, "tool_name")
  if (!Predicate.isString(toolName)) return undefined
  const toolInput = Predicate.hasProperty(input, "tool_input") ? input.tool_input : {}
  const toolId = request.tool_use_id ?? callId
  called.set(callId, { kind: "rules" })
  const open: CanUseTool = { subtype: "can_use_tool", tool_name: toolName, input: toolInput }
  const { use, parentToolId } = transcript.called(toolId, open)
  return [...use, { _tag: "Checked", callId, ask: askOf(callId, toolId, open, parentToolId) }]
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
  const result = [...called].filter(([, call]) => call.kind === "mcp" && cancelledBy(message, call.message))
  for (const [id] of result) called.delete(id)
  called.set(callId, { kind: "mcp", message })
  const withdrawn = result.map(([requestId]): Output => ({ _tag: "Withdrawn", requestId }))
  return [...withdrawn, { _tag: "McpCalled", callId, message }]
}

const verdictOn = (decision: Decision, input: unknown) => {
  // Without the input, the CLI finds the answer invalid.
  if (decision.decision === "allow") return { behavior: "allow", updatedInput: decision.input ?? input }
  const { message, interrupt } = decision
  return { behavior: "deny", message, ...(interrupt === true ? { interrupt } : {}) }
}

const take = ({ asked: open }: Requests, requestId: string, kind: Asked["kind"]) => {
  const found = open.get(requestId)
  if (found?.kind !== kind) return undefined
  open.delete(requestId)
  return found
}

export const decide = (requests: Requests, requestId: string, decision: Decision): Outputs => {
  const open = take(requests, requestId, "permission")
  return open === undefined ? [] : [succeed(requestId, verdictOn(decision, open.input))]
}

export const answer = (requests: Requests, requestId: string, answers: Answers | undefined): Outputs => {
  const open = take(requests, requestId, "question")
  if (open === undefined) return []
  const decision: Decision =
    answers === undefined
      ? { decision: "deny", message: noAnswers }
      : { decision: "allow", input: answered(open.input, answers) }
  return [succeed(requestId, verdictOn(decision, open.input))]
}

const forbidden = (permissionDecisionReason: string) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason }
})

export const reply = ({ called }: Requests, callId: string, result: unknown): Outputs => {
  const call = called.get(callId)
  if (call === undefined) return []
  called.delete(callId)
  if (call.kind === "mcp") return [succeed(callId, { mcp_response: mcpAnswer(call.message, result) })]
  const output = call.kind === "rules" && Predicate.isString(result) ? forbidden(result) : result
  return [succeed(callId, Predicate.isObject(output) ? output : {})]
}

export const cancel = ({ asked: open, called }: Requests, requestId: string): Outputs =>
  open.delete(requestId) || called.delete(requestId) ? [{ _tag: "Withdrawn", requestId }] : []

export const hasOpen = (requests: Requests): boolean => requests.asked.size + requests.called.size > 0

/** Withdraws the requests of the main thread after its turn was broken off. */
export const drop = (requests: Requests): Outputs =>
  [...requests.asked].flatMap(([requestId, { isNested }]) => (isNested ? [] : cancel(requests, requestId)))
