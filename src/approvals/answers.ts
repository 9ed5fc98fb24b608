/**
 * Whether what a function of the host, or a caller, gives for an answer is one: types are not looked at where they are
 * plain JavaScript, and half an answer would leave the agent waiting for ever, or allow more than was meant. Pure.
 */
import { Predicate, Schema } from "effect"
import * as Approvals from "../Approvals.ts"
import { isJson } from "../input.ts"
import { Answers } from "../SessionEvent.ts"

const isRule = Schema.is(Approvals.ApprovalRule)

/** `remember` may be a match: one in a wrong form would fit everything. */
const isRemember = (given: unknown): boolean =>
  given === undefined || Predicate.isBoolean(given) || isRule({ _tag: "Allow", match: given })

const isText = (given: unknown): boolean => given === undefined || Predicate.isString(given)

export const isPlanAnswer = (given: unknown): given is Approvals.PlanAnswer => {
  if (!Predicate.hasProperty(given, "decision")) return false
  const { decision, input, message, remember } = given as { readonly [name: string]: unknown } // looked at here
  if (decision === "outline") return true
  if (decision === "allow") return (input === undefined || isJson(input)) && isRemember(remember)
  return decision === "deny" && isText(message) && isRemember(remember)
}

const isRecord = Schema.is(Answers)

export const isAnswers = (given: unknown): given is Answers | undefined => given === undefined || isRecord(given)
