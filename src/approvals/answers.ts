/**
 * Checks the answers of handlers and callers at run time: plain JavaScript has no types, and an incomplete answer would
 * leave the agent waiting forever, or allow more than was meant. Pure.
 */
import { Predicate, Schema } from "effect"
import { jsonProblem } from "../contract/json.ts"
import type { PlanAnswer } from "../contract/Rule.ts"
import { Answers, type PermissionRequestEvent } from "../contract/SessionEvent.ts"
import { exactScope } from "./judged.ts"

export interface AnswerProblem {
  readonly option: string
  readonly problem: string
}

const problemWith = (option: string, problem: string): AnswerProblem => ({ option, problem })

const isOptionalString = (value: unknown): boolean => value === undefined || Predicate.isString(value)

const isOptionalBoolean = (value: unknown): boolean => value === undefined || Predicate.isBoolean(value)

const fieldsOf = (answer: object) => answer as { readonly [name: string]: unknown } // each is checked below

export const planAnswerProblem = (answer: unknown): AnswerProblem | undefined => {
  const decisions = "must be allow, deny or outline"
  if (!Predicate.hasProperty(answer, "decision")) return problemWith("decision", decisions)
  const { decision, input, message, interrupt, remember } = fieldsOf(answer)
  if (decision === "outline") return undefined
  if (decision !== "allow" && decision !== "deny") return problemWith("decision", decisions)
  const isRemember = remember === undefined || Predicate.isBoolean(remember) || Predicate.isString(remember)
  if (!isRemember) return problemWith("remember", "must be true, false or the id of a scope of the request")
  if (decision === "deny") {
    if (!isOptionalString(message)) return problemWith("message", "must be a string")
    return isOptionalBoolean(interrupt) ? undefined : problemWith("interrupt", "must be true or false")
  }
  const problem = input === undefined ? undefined : jsonProblem(input)
  return problem === undefined ? undefined : problemWith("input", problem)
}

/** Checks that the request has the scope for which its answer is to be remembered. */
export const scopeProblem = (
  { scopes }: Pick<PermissionRequestEvent, "scopes">,
  answer: PlanAnswer
): AnswerProblem | undefined => {
  const remember = answer.decision === "outline" ? undefined : answer.remember
  if (remember === undefined || remember === false) return undefined
  if (scopes.length === 0) {
    return problemWith("remember", "cannot be used: it is not certain what the request does. Answer without it")
  }
  const id = remember === true ? exactScope : remember
  if (scopes.some((scope) => scope.id === id)) return undefined
  return problemWith(
    "remember",
    `is not a scope of the request; its scopes are ${scopes.map((scope) => scope.id).join(", ")}`
  )
}

const isAnswers = Schema.is(Answers)

export const answersProblem = (answers: unknown): AnswerProblem | undefined =>
  answers === undefined || isAnswers(answers)
    ? undefined
    : problemWith("answers", "must be an object with a list of strings for each question")
