/**
 * Requests of `app-server` to its client, and the one answer to each (0.169.0): permissions, questions, calls of the host's
 * functions. Each is answered at once or kept open, so that Codex is never left waiting. Its ids count from 0 in each process.
 */
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { hostServer } from "../../../contract/HostTool.ts"
import type { Decision } from "../../../contract/Rule.ts"
import type { Answers, Question } from "../../../contract/SessionEvent.ts"
import { present } from "../../jsonFields.ts"
import { answer, methodNotFound, type RpcId, refusal } from "../../jsonRpc.ts"
import { type Outputs, write } from "../../outputs.ts"
import { type ApprovalContext, answerOf, approvalMethods, approvalOf, askOf, declinedNotice } from "./approvals.ts"
import { callResult, failed, makeHostCalls } from "./hostCalls.ts"
import { type Request, readElicitation, readQuestions, readToolCall, type WireQuestion } from "./wire.ts"

/** A question of `request_user_input` (0.169.0). */
const questionOf = ({ question, header, options, isOther }: WireQuestion): Question => ({
  question: question ?? "",
  ...present({ header }),
  options: (options ?? []).map(({ label, description }) => ({ label: label ?? "", ...present({ description }) })),
  multiple: false,
  freeText: isOther === true || (options ?? []).length === 0
})

/** An empty answer would leave the model guessing. */
const noAnswer = "(no answer: use your own default)"

const answersOf = (questions: ReadonlyArray<WireQuestion>, answers: Answers | undefined) => {
  const input = new Map(Object.entries(answers ?? {}))
  const entries = questions.map(({ id, question }) => [id, { answers: input.get(question ?? "") ?? [noAnswer] }])
  return { answers: Object.fromEntries(entries) }
}

interface Approval {
  readonly _tag: "Approval"
  readonly threadId: string
  readonly title: string
  readonly isElicited: boolean
}

type OpenRequest =
  | Approval
  | { readonly _tag: "Questions"; readonly questions: ReadonlyArray<WireQuestion> }
  | { readonly _tag: "ToolCall" }

export interface Requests {
  /** `context` is undefined if no turn is under way, or the thread is unknown. */
  readonly receive: (context: ApprovalContext | undefined, request: Request, raw: unknown) => Outputs
  /** The approval that waits for a decision. */
  readonly asked: (requestId: string) => Approval | undefined
  readonly decide: (requestId: string, decision: Decision) => Outputs
  readonly answer: (requestId: string, answers: Answers | undefined) => Outputs
  /** The result of a call of the host's functions. */
  readonly reply: (callId: string, reply: unknown) => Outputs
  /** Codex no longer waits. */
  readonly withdraw: (id: RpcId) => Outputs
  /** Answers each open request without any effect, and withdraws it. */
  readonly abandon: () => Outputs
}

const approval = ({ isElicited }: Approval, word: "accept" | "decline" | "cancel") =>
  isElicited ? { action: word === "accept" ? word : "decline", content: null, _meta: null } : { decision: word }

const nothingDone = (request: OpenRequest): unknown => {
  switch (request._tag) {
    case "Approval":
      return approval(request, "cancel")
    case "Questions":
      return { answers: {} }
    case "ToolCall":
      return failed("The turn was interrupted")
  }
}

const keyOf = (id: RpcId) => JSON.stringify(id)

const refused = ({ id, method }: Request, raw: unknown): Outputs => [
  write(refusal(id, { code: methodNotFound, message: `${method} is not answered here` })),
  { type: "unknown", raw }
]

/** A form of an MCP server, for which a session has no question. */
const declinedForm = ({ id, params }: Request): Outputs | undefined => {
  const form = readElicitation(params)
  if (form === undefined) return undefined
  const message = `The MCP server ${form.serverName ?? ""} wanted a form filled in, which was declined`
  return [
    write(answer(id, { action: "decline", content: null, _meta: null })),
    { type: "notice", kind: "warning", message }
  ]
}

export const makeRequests = ({ tools = [] }: AgentOpenParams): Requests => {
  const open = new Map<string, { readonly id: RpcId; readonly request: OpenRequest }>()
  const hostCalls = makeHostCalls()
  /** MCP calls whose approval was requested. */
  const elicited = new Set<string>()

  const add = (id: RpcId, request: OpenRequest): string => {
    const key = keyOf(id)
    open.set(key, { id, request })
    return key
  }

  /** The first answer removes a request, so each gets one. */
  const settle = (key: string, result: unknown): Outputs => {
    const found = open.get(key)
    if (found === undefined) return []
    open.delete(key)
    return [write(answer(found.id, result))]
  }

  const answersTo = (key: string) => {
    const request = open.get(key)?.request
    return request?._tag === "Approval" ? request : undefined
  }

  const approvalAsked = (context: ApprovalContext, request: Request): Outputs | undefined => {
    const { threadId, calls } = context
    const requested = approvalOf(context, request, elicited)
    if (requested === undefined) return undefined
    const { toolId, isElicited, announcement } = requested
    const { title, toolName } = requested.open
    if (isElicited) elicited.add(toolId)
    const openRequest: Approval = { _tag: "Approval", threadId, title, isElicited }
    const key = add(request.id, openRequest)
    calls.decided(toolId)
    const word = answerOf(context, requested)
    if (word === undefined) return [...announcement, { _tag: "Asked", ask: askOf(key, requested) }]
    if (word === "decline") calls.denied({ toolName, toolId })
    const notices = word === "decline" ? [declinedNotice(requested)] : []
    return [...announcement, ...notices, ...settle(key, approval(openRequest, word))]
  }

  const questioned = ({ id, params }: Request): Outputs | undefined => {
    const questions = readQuestions(params)?.questions
    if (questions === undefined) return undefined
    const requestId = add(id, { _tag: "Questions", questions })
    return [{ _tag: "Questioned", requestId, questions: questions.map(questionOf) }]
  }

  const called = ({ id, params }: Request): Outputs | undefined => {
    const read = readToolCall(params)
    if (read === undefined) return undefined
    const name = read.tool ?? ""
    const isOurs = read.namespace === hostServer && tools.some((tool) => tool.name === name)
    if (!isOurs) return [write(answer(id, failed(`Unknown function: ${name} in this session`)))]
    return hostCalls.call(add(id, { _tag: "ToolCall" }), name, read.arguments)
  }

  const known = (context: ApprovalContext, request: Request): Outputs | undefined => {
    const { method } = request
    if (approvalMethods.has(method)) {
      const outputs = approvalAsked(context, request)
      return outputs === undefined && method === "mcpServer/elicitation/request" ? declinedForm(request) : outputs
    }
    if (method === "item/tool/requestUserInput") return questioned(request)
    return method === "item/tool/call" ? called(request) : undefined
  }

  return {
    receive: (context, request, raw) => {
      // A second request with an open id.
      if (open.has(keyOf(request.id))) return [{ type: "unknown", raw }]
      return (context && known(context, request)) ?? refused(request, raw)
    },
    asked: answersTo,
    decide: (requestId, decision) => {
      const request = answersTo(requestId)
      if (request === undefined) return []
      if (decision.decision === "allow") return settle(requestId, approval(request, "accept"))
      return settle(requestId, approval(request, decision.interrupt === true ? "cancel" : "decline"))
    },
    answer: (requestId, answers) => {
      const request = open.get(requestId)?.request
      return request?._tag === "Questions" ? settle(requestId, answersOf(request.questions, answers)) : []
    },
    reply: (callId, reply) => {
      const greeted = hostCalls.greeted(callId)
      if (greeted !== undefined) return greeted
      return open.get(callId)?.request._tag === "ToolCall" ? settle(callId, callResult(reply)) : []
    },
    withdraw: (id) => {
      const requestId = keyOf(id)
      return open.delete(requestId) ? [{ _tag: "Withdrawn", requestId }] : []
    },
    abandon: () =>
      [...open].flatMap(([requestId, { request }]) => [
        ...settle(requestId, nothingDone(request)),
        { _tag: "Withdrawn", requestId } as const
      ])
  }
}
