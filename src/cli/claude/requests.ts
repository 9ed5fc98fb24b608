/**
 * What Claude Code asks of its host in a live session, and the one answer to each: permission, questions, hooks, MCP
 * (2.1.328). What is not known is refused at once, since nothing may leave the CLI waiting.
 */
import { Predicate, Result } from "effect"
import type { AgentOpenParams } from "../../AgentOpenParams.ts"
import { hostServer } from "../../hostTools.ts"
import type { Answers } from "../../SessionEvent.ts"
import type { Decision, Output } from "../Live.ts"
import { type CanUseTool, decodeRequest, errorLine, successLine } from "./control.ts"
import { askOf } from "./permission.ts"
import { answered, noAnswers, questionsOf, questionTool } from "./questions.ts"
import type { ToolCalls } from "./toolCalls.ts"

interface Asked {
  readonly kind: "permission" | "question"
  readonly input: unknown
  readonly isNested: boolean
}

interface Called {
  readonly kind: "hook" | "mcp"
  readonly message?: unknown
}

type Outputs = ReadonlyArray<Output>

export interface Requests {
  readonly ask: (requestId: string, request: unknown, raw: unknown) => Outputs
  readonly decide: (requestId: string, decision: Decision) => Outputs
  readonly answer: (requestId: string, answers: Answers | undefined) => Outputs
  readonly reply: (callId: string, reply: unknown) => Outputs
  readonly cancel: (requestId: string) => Outputs
  /** The turn was broken off: nothing that its main thread asked is waited for. */
  readonly drop: () => Outputs
}

const write = (json: unknown): Output => ({ _tag: "Write", json })

const refuse = (requestId: string, raw: unknown, problem: string): Outputs => [
  { type: "unknown", raw },
  write(errorLine(requestId, problem))
]

const verdictOn = (decision: Decision, input: unknown) => {
  // Without the input, the CLI finds the answer invalid.
  if (decision.decision === "allow") return { behavior: "allow", updatedInput: decision.input ?? input }
  const { message, interrupt } = decision
  return { behavior: "deny", message, ...(interrupt === true ? { interrupt } : {}) }
}

/** A notification needs an answer, too: the one that the CLI takes for it. */
const mcpAnswer = (message: unknown, reply: unknown) => {
  if (reply !== undefined) return reply
  const id = Predicate.hasProperty(message, "id") ? message.id : undefined
  if (id == null) return { jsonrpc: "2.0", result: {}, id: 0 }
  return { jsonrpc: "2.0", id, error: { code: -32603, message: "The server gave no answer" } }
}

export const makeRequests = (params: AgentOpenParams, calls: ToolCalls, announced: (toolId: string) => void) => {
  const hooks = params.hooks ?? []
  const hasTools = (params.tools ?? []).length > 0
  const asked = new Map<string, Asked>()
  const called = new Map<string, Called>()

  /** One answer to each: it is forgotten by that. */
  const take = (id: string, kind: Asked["kind"]) => {
    const found = asked.get(id)
    if (found?.kind !== kind) return undefined
    asked.delete(id)
    return found
  }

  const askPermission = (requestId: string, request: CanUseTool, raw: unknown): Outputs => {
    const { input = {} } = request
    const toolId = request.tool_use_id ?? requestId
    const isQuestion = request.tool_name === questionTool
    const questions = isQuestion ? questionsOf(input) : []
    const told = calls.before(toolId, request)
    if (isQuestion && questions.length === 0) return [...told, ...refuse(requestId, raw, "there is no question")]
    announced(toolId)
    asked.set(requestId, { kind: isQuestion ? "question" : "permission", input, isNested: request.agent_id != null })
    if (isQuestion) return [...told, { _tag: "Questioned", requestId, toolId, questions }]
    return [...told, { _tag: "Asked", ask: askOf(requestId, toolId, request, calls.parentOf(toolId)) }]
  }

  const requests: Requests = {
    ask: (requestId, request, raw) => {
      if (asked.has(requestId) || called.has(requestId)) return []
      const decoded = decodeRequest(request)
      if (Result.isFailure(decoded)) return refuse(requestId, raw, "this host does not know such a request")
      const known = decoded.success
      if (known.subtype === "can_use_tool") return askPermission(requestId, known, raw)
      if (known.subtype === "hook_callback") {
        const hook = Number(known.callback_id)
        if (hooks[hook] === undefined) return refuse(requestId, raw, "this host has no such hook")
        called.set(requestId, { kind: "hook" })
        return [{ _tag: "HookCalled", callId: requestId, hook, input: known.input }]
      }
      if (!hasTools || known.server_name !== hostServer) return refuse(requestId, raw, "this host has no such server")
      called.set(requestId, { kind: "mcp", message: known.message })
      return [{ _tag: "McpCalled", callId: requestId, message: known.message }]
    },
    decide: (requestId, decision) => {
      const question = take(requestId, "permission")
      return question === undefined ? [] : [write(successLine(requestId, verdictOn(decision, question.input)))]
    },
    answer: (requestId, answers) => {
      const question = take(requestId, "question")
      if (question === undefined) return []
      const { input } = question
      const decision: Decision =
        answers === undefined
          ? { decision: "deny", message: noAnswers }
          : { decision: "allow", input: answered(input, answers) }
      return [write(successLine(requestId, verdictOn(decision, input)))]
    },
    reply: (callId, reply) => {
      const call = called.get(callId)
      if (!called.delete(callId)) return []
      const hookReply = Predicate.isObject(reply) ? reply : {}
      return [
        write(successLine(callId, call?.kind === "mcp" ? { mcp_response: mcpAnswer(call.message, reply) } : hookReply))
      ]
    },
    cancel: (requestId) =>
      asked.delete(requestId) || called.delete(requestId) ? [{ _tag: "Withdrawn", requestId }] : [],
    drop: () => [...asked].flatMap(([requestId, { isNested }]) => (isNested ? [] : requests.cancel(requestId)))
  }
  return requests
}
