/**
 * Whether what a function of the host, or a caller, gives for an answer is one: types are not looked at where they are
 * plain JavaScript, and half an answer would leave the agent waiting for ever, or allow more than was meant. Pure.
 */
import { Predicate, Schema } from "effect"
import { jsonProblem } from "../contract/json.ts"
import type { PlanAnswer } from "../contract/Rule.ts"
import { Answers, type PermissionRequestEvent } from "../contract/SessionEvent.ts"
import { exactScope } from "./scopes.ts"

/** What is wrong with an answer, and where. */
export interface AnswerProblem {
  readonly option: string
  readonly problem: string
}

const wrong = (option: string, problem: string): AnswerProblem => ({ option, problem })

const isText = (given: unknown): boolean => given === undefined || Predicate.isString(given)

const isFlag = (given: unknown): boolean => given === undefined || Predicate.isBoolean(given)

/** Whatever its type says. */
const fieldsOf = (given: object) => given as { readonly [name: string]: unknown } // each is looked at here

export const planAnswerProblem = (given: unknown): AnswerProblem | undefined => {
  const decisions = "is none of allow, deny, outline"
  if (!Predicate.hasProperty(given, "decision")) return wrong("decision", decisions)
  const { decision, input, message, interrupt, remember } = fieldsOf(given)
  if (decision === "outline") return undefined
  if (decision !== "allow" && decision !== "deny") return wrong("decision", decisions)
  const isRemember = remember === undefined || Predicate.isBoolean(remember) || Predicate.isString(remember)
  if (!isRemember) return wrong("remember", "is neither true nor the id of a scope of the request")
  if (decision === "deny") {
    if (!isText(message)) return wrong("message", "is no text")
    return isFlag(interrupt) ? undefined : wrong("interrupt", "is neither true nor false")
  }
  const problem = input === undefined ? undefined : jsonProblem(input)
  return problem === undefined ? undefined : wrong("input", problem)
}

/** Whether the answer can be remembered for what it names. */
export const scopeProblem = (
  { scopes }: Pick<PermissionRequestEvent, "scopes">,
  answer: PlanAnswer
): AnswerProblem | undefined => {
  const wanted = answer.decision === "outline" ? undefined : answer.remember
  if (wanted === undefined || wanted === false) return undefined
  if (scopes.length === 0) {
    return wrong("remember", "cannot be: the request does not say for certain what it does. Answer without it")
  }
  const id = wanted === true ? exactScope : wanted
  if (scopes.some((scope) => scope.id === id)) return undefined
  return wrong("remember", `is no scope of the request; it has ${scopes.map((scope) => scope.id).join(", ")}`)
}

const isRecord = Schema.is(Answers)

export const answersProblem = (given: unknown): AnswerProblem | undefined =>
  given === undefined || isRecord(given)
    ? undefined
    : wrong("answers", "are no record of questions, each with a list of texts")
