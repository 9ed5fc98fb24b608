/**
 * Answers to requests and questions: which are valid, since JavaScript has no types; how events tell them and who decided;
 * what the agent is told without one.
 */
import { Predicate, Schema } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { jsonProblem } from "../../contract/json.ts"
import type { Decider, Decision, PlanAnswer } from "../../contract/Rule.ts"
import { Answers, type DecidedBy, type PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import { graphemesOf } from "../../contract/text/graphemes.ts"
import { withoutInvisible } from "../../contract/text/harmless.ts"
import type { Concluded } from "../approvals/approver.ts"
import { scopeIdOf } from "../approvals/requestEvent.ts"

/** Why an answer is refused: the name of its field, and what it must be; quotes nothing of the answer. */
export interface AnswerProblem {
  readonly option: string
  readonly problem: string
}

const problemWith = (option: string, problem: string): AnswerProblem => ({ option, problem })

const isAnswers = Schema.is(Answers)

export const answersProblem = (answers: unknown): AnswerProblem | undefined =>
  answers === undefined || isAnswers(answers)
    ? undefined
    : { option: "answers", problem: "must be an object with a list of strings for each question" }

/** In characters as people count them. */
const mostCharacters = 64

const short = (text: string): string => {
  // Names are shorter, and segmenting is slow.
  const line = withoutInvisible(text.slice(0, 16 * mostCharacters).replaceAll(/\s+/g, " ")).trim()
  const characters = Array.from(graphemesOf(line), ({ segment }) => segment)
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

/** From JavaScript an incomplete answer would leave the agent waiting, or allow more than was meant. */
export const planAnswerProblem = (answer: unknown): AnswerProblem | undefined => {
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
export const scopeProblem = (
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

export const nested = ({ parentToolId }: { readonly parentToolId?: string }) =>
  parentToolId === undefined ? {} : { parentToolId }

export const bareMessages: { readonly [By in DecidedBy]?: string } = {
  caller: "The user denied this.",
  handler: "The application denied this."
}

/** The message to the agent when no decision was made. An error thrown by a handler is for the host's log only. */
export const undecided = (why: "deadline" | "handler", waitMs: number, invalid: AnswerProblem | undefined) => {
  if (why === "deadline") return `No answer within ${waitMs / 1000} s.`
  if (invalid === undefined) return "The function that decides on this failed: no decision was made."
  return `The function that decides on this gave no valid answer: ${invalid.option} ${invalid.problem}.`
}

/** Calling the tool with its original input would do something that was not allowed. */
export const unchangeable: Decision = {
  decision: "deny",
  message: "The user wants this called with another input, which this agent does not support. Ask how to continue."
}

export const decisionEvent = (
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
