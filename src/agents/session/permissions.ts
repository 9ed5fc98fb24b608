/** Permission requests of a live session, answered by a rule at once, else by a person or a deadline. */
import { Predicate, Result } from "effect"
import { boundedFacts } from "../../cli/boundedFacts.ts"
import { InvalidParams } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { jsonProblem } from "../../contract/json.ts"
import type { Decider, Decision, PermissionAsk, PlanAnswer } from "../../contract/Rule.ts"
import type { DecidedBy, PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import { withoutInvisible } from "../../contract/text/harmless.ts"
import type { Concluded } from "../approvals/approver.ts"
import { type RequestedPermission, requestEventOf, scopeIdOf } from "../approvals/requestEvent.ts"
import { type AnswerProblem, type AsksOptions, deadlineOf, makePending, nested } from "./pending.ts"

/** In characters as people count them. */
const mostCharacters = 64
const segmenter = new Intl.Segmenter()

const short = (text: string): string => {
  // Names are shorter, and segmenting is slow.
  const line = withoutInvisible(text.slice(0, 16 * mostCharacters).replaceAll(/\s+/g, " ")).trim()
  const characters = Array.from(segmenter.segment(line), ({ segment }) => segment)
  return characters.length <= mostCharacters ? line : `${characters.slice(0, mostCharacters - 1).join("")}…`
}

const names = ["person", "where"] as const

/** A decider from JavaScript may be anything. */
export const deciderProblem = (value: unknown): AnswerProblem | undefined => {
  if (value === undefined) return undefined
  if (!Predicate.isObject(value)) return { option: "decider", problem: 'must be an object such as { person: "Ann" }' }
  const wrong = names.find((name) => Predicate.hasProperty(value, name) && !isText(value[name]))
  return wrong === undefined ? undefined : { option: wrong, problem: "must be a string" }
}

const isText = (value: unknown) => value === undefined || Predicate.isString(value)

/** The decider for an event, without empty parts. */
export const deciderOf = ({ person = "", where = "" }: Decider): Decider => {
  const [by, at] = [short(person), short(where)]
  return { ...(by === "" ? {} : { person: by }), ...(at === "" ? {} : { where: at }) }
}

const bareMessages: { readonly [By in DecidedBy]?: string } = {
  caller: "The user denied this.",
  handler: "The application denied this."
}

/** The message to the agent when no decision was made. An error thrown by a handler is for the host's log only. */
const undecided = (why: "deadline" | "handler", waitMs: number, invalid: AnswerProblem | undefined) => {
  if (why === "deadline") return `No answer within ${waitMs / 1000} s.`
  if (invalid === undefined) return "The function that decides on this failed: no decision was made."
  return `The function that decides on this gave no valid answer: ${invalid.option} ${invalid.problem}.`
}

/** Calling the tool with its original input would do something that was not allowed. */
const unchangeable: Decision = {
  decision: "deny",
  message: "The user wants this called with another input, which this agent does not support. Ask how to continue."
}

const decisionEvent = (
  request: PermissionRequestEvent,
  { decision, remembered }: Concluded,
  by: DecidedBy,
  decider: Decider = {}
): AgentEvent => ({
  type: "permission_decision",
  requestId: request.requestId,
  decision: decision.decision,
  by,
  ...deciderOf(decider),
  ...(decision.decision === "deny" ? { message: decision.message } : {}),
  ...(decision.decision === "allow" && decision.input !== undefined ? { input: decision.input } : {}),
  ...(remembered === undefined ? {} : { remembered }),
  ...nested(request)
})

const problemWith = (option: string, problem: string): AnswerProblem => ({ option, problem })

/** From JavaScript an incomplete answer would leave the agent waiting, or allow more than was meant. */
const planAnswerProblem = (answer: unknown): AnswerProblem | undefined => {
  const decisions = "must be allow, deny or outline"
  if (!Predicate.isObject(answer))
    return problemWith("decision", 'is missing: an answer is an object such as { decision: "allow" }')
  if (Predicate.hasProperty(answer, "behavior") && !Predicate.hasProperty(answer, "decision"))
    return problemWith("decision", 'is missing; it is what other SDKs call "behavior"')
  if (!Predicate.hasProperty(answer, "decision")) return problemWith("decision", decisions)
  const { decision, input, message, interrupt, remember } = answer as { readonly [name: string]: unknown }
  if (decision === "outline") return deciderProblem(answer)
  if (decision !== "allow" && decision !== "deny") return problemWith("decision", decisions)
  const wrongDecider = deciderProblem(answer)
  if (wrongDecider !== undefined) return wrongDecider
  const isRemember = remember === undefined || Predicate.isBoolean(remember) || Predicate.isString(remember)
  if (!isRemember) return problemWith("remember", "must be true, false or the id of a scope of the request")
  if (decision === "deny") {
    if (message !== undefined && !Predicate.isString(message)) return problemWith("message", "must be a string")
    const isInterrupt = interrupt === undefined || Predicate.isBoolean(interrupt)
    return isInterrupt ? undefined : problemWith("interrupt", "must be true or false")
  }
  const problem = input === undefined ? undefined : jsonProblem(input)
  return problem === undefined ? undefined : problemWith("input", problem)
}

/** Checks that the request has the scope for which its answer is to be remembered. */
const scopeProblem = (
  { scopes }: Pick<PermissionRequestEvent, "scopes">,
  answer: PlanAnswer
): AnswerProblem | undefined => {
  const id = scopeIdOf(answer)
  if (id === undefined || scopes.some((scope) => scope.id === id)) return undefined
  if (scopes.length === 0) {
    return problemWith("remember", "cannot be used: it is not certain what the request does. Answer without it")
  }
  const ids = scopes.map((scope) => scope.id).join(", ")
  return problemWith("remember", `is not a scope of the request; its scopes are ${ids}`)
}

export const makePermissions = (options: AsksOptions, open: Set<string>) => {
  const { approver, dialogue, workingDirectory, give, perform, planAllowed, isWritable, fork, clock } = options
  const pending = makePending<PlanAnswer>(open, fork, planAnswerProblem)
  const waiting = new Map<string, PermissionRequestEvent>()

  const withdrawn = (request: PermissionRequestEvent, by: DecidedBy) => {
    const { requestId } = request
    waiting.delete(requestId)
    give({ type: "permission_decision", requestId, decision: "withdrawn", by, ...nested(request) })
  }

  const warn = ({ requestId }: PermissionRequestEvent, message: string) =>
    give({ type: "notice", kind: "warning", message, data: { requestId } })

  const conclude = (
    request: PermissionRequestEvent,
    requested: Concluded,
    takesInput: boolean,
    by: DecidedBy,
    decider?: Decider
  ) => {
    if (!isWritable()) {
      withdrawn(request, "end")
      return false
    }
    const { decision } = requested
    const isPossible = takesInput || decision.decision === "deny" || decision.input === undefined
    const concluded = isPossible ? requested : { decision: unchangeable }
    if (!isPossible) warn(request, `${request.toolName} was denied: this agent does not support a changed input`)
    give(decisionEvent(request, concluded, by, decider))
    if (request.kind === "plan" && concluded.decision.decision === "allow") planAllowed()
    perform(dialogue.decide(request.requestId, concluded.decision))
    return true
  }

  const settled = (query: RequestedPermission, takesInput: boolean) => (answer: PlanAnswer, by: DecidedBy) => {
    const { request, grants } = query
    waiting.delete(request.requestId)
    const bareMessage = bareMessages[by]
    const invalid = scopeProblem(request, answer)
    if (invalid !== undefined) warn(request, `The answer is not remembered: ${invalid.option} ${invalid.problem}`)
    const context = { grants, ...(bareMessage === undefined ? {} : { bareMessage }) }
    return conclude(request, approver.conclude(request, answer, context), takesInput, by, answer)
  }

  const ask = (query: PermissionAsk) => {
    const judged = requestEventOf(query, workingDirectory)
    const { request } = judged
    const { plan: text, toolId } = request
    if (text !== undefined) give(boundedFacts({ type: "plan", text, toolId, ...nested(request) }, workingDirectory))
    const { takesInput } = query
    const ruling = approver.consider(request)
    if (ruling._tag === "Decided") {
      give(request)
      conclude(request, ruling, takesInput, ruling.by)
      return
    }
    const { handler, waitMs, otherwise } = ruling
    const complete = { ...request, ...judged.preview(), ...deadlineOf(clock, waitMs) }
    give(complete)
    waiting.set(request.requestId, request)
    pending.add({
      requestId: request.requestId,
      handler: handler === undefined ? undefined : (context) => handler(complete, context),
      waitMs,
      otherwise: (why, invalid) =>
        otherwise === "allow" ? { decision: "allow" } : { decision: "deny", message: undecided(why, waitMs, invalid) },
      resolve: settled(judged, takesInput),
      withdrawn: (by) => withdrawn(request, by)
    })
  }

  const check = (callId: string, checked: PermissionAsk) => {
    const { request } = requestEventOf(checked, workingDirectory)
    const denial = approver.forbids(request)
    if (denial !== undefined) {
      give(request)
      give(decisionEvent(request, { decision: denial }, "rule"))
    }
    perform(dialogue.reply(callId, denial?.message))
  }

  const decide = (requestId: string, answer: PlanAnswer) => {
    const request = waiting.get(requestId)
    const invalid = planAnswerProblem(answer) ?? (request && scopeProblem(request, answer))
    if (invalid !== undefined) return Result.fail(new InvalidParams(invalid))
    return Result.succeed(pending.resolve(requestId, answer, "caller"))
  }
  return { pending, ask, check, decide }
}
