/**
 * Requests of `app-server` to its client (0.169.0): permissions, questions, calls of the host's functions. Every one is
 * answered at once or kept open for one answer, so that Codex is never left waiting.
 */
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { hostServer } from "../../../contract/HostTool.ts"
import { answer, methodNotFound, type RpcId, refusal } from "../../jsonRpc.ts"
import { type ApprovalsContext, approvalMethods, makeApprovals } from "./approvals.ts"
import { callResult, failed, makeHostCalls } from "./hostCalls.ts"
import type { OpenRequests, Outputs } from "./openRequests.ts"
import { answersOf, questionOf } from "./questions.ts"
import { readElicitation, readQuestions, readToolCall } from "./wire.ts"

export interface Request {
  readonly id: RpcId
  readonly method: string
  readonly params: unknown
}

const refused = ({ id, method }: Request, raw: unknown): Outputs => [
  { _tag: "Write", json: refusal(id, { code: methodNotFound, message: `${method} is not answered here` }) },
  { type: "unknown", raw }
]

/** The questions of a server come as a form with a schema, for which a session has no question. */
const declinedForm = ({ id, params }: Request): Outputs => {
  const server = readElicitation(params)?.serverName ?? ""
  return [
    { _tag: "Write", json: answer(id, { action: "decline", content: null, _meta: null }) },
    { type: "notice", kind: "warning", message: `The MCP server ${server} wanted a form filled in, which was declined` }
  ]
}

export const makeServerRequests = ({ tools = [] }: AgentOpenParams, openRequests: OpenRequests) => {
  const approvals = makeApprovals()
  const hostCalls = makeHostCalls()

  const asked = ({ id, params }: Request): Outputs | undefined => {
    const read = readQuestions(params)
    const key = read === undefined ? undefined : openRequests.add(id, { _tag: "Questions", questions: read.questions })
    if (read === undefined || key === undefined) return undefined
    return [{ _tag: "Questioned", requestId: key, questions: read.questions.map(questionOf) }]
  }

  const called = ({ id, params }: Request): Outputs | undefined => {
    const read = readToolCall(params)
    if (read === undefined) return undefined
    const name = read.tool ?? ""
    const isOurs = read.namespace === hostServer && tools.some((tool) => tool.name === name)
    if (!isOurs) return [{ _tag: "Write", json: answer(id, failed(`There is no function ${name} in this session`)) }]
    const key = openRequests.add(id, { _tag: "ToolCall" })
    if (key === undefined) return undefined
    return hostCalls.call(key, name, read.arguments)
  }

  const known = (context: ApprovalsContext, request: Request): Outputs | undefined => {
    const { id, method, params } = request
    if (method === "item/tool/requestUserInput") return asked(request)
    if (method === "item/tool/call") return called(request)
    if (!approvalMethods.has(method)) return undefined
    const outputs = approvals.ask(context, id, method, params)
    const isForm = outputs === undefined && method === "mcpServer/elicitation/request"
    return isForm && readElicitation(params) !== undefined ? declinedForm(request) : outputs
  }

  return {
    /** `context` is undefined where nothing can be asked: no turn is under way, or the thread is unknown. */
    receive: (context: ApprovalsContext | undefined, request: Request, raw: unknown): Outputs => {
      // A second request with an open id.
      if (openRequests.has(request.id)) return [{ type: "unknown", raw }]
      return (context && known(context, request)) ?? refused(request, raw)
    },
    decide: approvals.decide,
    answer: (requestId: string, answers: Parameters<typeof answersOf>[1]): Outputs => {
      const openRequest = openRequests.get(requestId, "Questions")
      return openRequest === undefined ? [] : openRequests.settle(requestId, answersOf(openRequest.questions, answers))
    },
    reply: (callId: string, reply: unknown): Outputs => {
      const greeted = hostCalls.greeted(callId)
      if (greeted !== undefined) return greeted
      return openRequests.get(callId, "ToolCall") === undefined ? [] : openRequests.settle(callId, callResult(reply))
    }
  }
}
