/** Checks whether a value is a rule of approvals; the types of rules are in `types/Rule.ts`. */
import { Duration, Predicate, Result, Schema } from "effect"
import type { Match, ApprovalRule as Rule } from "../types/Rule.ts"
import { DurationInput } from "./input.ts"
import { ToolKind } from "./SessionEvent.ts"

/** `~` would be taken for a directory of that name, and the rule would protect nothing. */
const isPattern = (pattern: unknown) => Predicate.isString(pattern) && !/^~(\/|$)/.test(pattern)

const lists: { readonly [Name in Exclude<keyof Match, "escalated">]-?: (item: unknown) => boolean } = {
  tools: Predicate.isString,
  kinds: Schema.is(ToolKind),
  paths: isPattern,
  directories: isPattern,
  commands: (item) => Predicate.isString(item) || item instanceof RegExp
}

const isMatch = (input: unknown): boolean =>
  Predicate.isObject(input) &&
  Object.entries(input).every(([name, list]) => {
    if (name === "escalated") return list === undefined || Predicate.isBoolean(list)
    const isItem = Object.hasOwn(lists, name) ? lists[name as keyof typeof lists] : undefined // its own key
    return list === undefined || (isItem !== undefined && Array.isArray(list) && list.every(isItem))
  })

const AskForm = Schema.Struct({
  match: Schema.optional(Schema.declare((input): input is Match => isMatch(input))),
  deadline: Schema.optional(DurationInput),
  otherwise: Schema.optional(Schema.Literals(["allow", "deny"]))
})

const PlanForm = Schema.Struct({
  deadline: Schema.optional(DurationInput),
  auto: Schema.optional(Schema.Boolean),
  outlineLength: Schema.optional(Schema.Finite),
  cooldown: Schema.optional(Schema.Union([Schema.Boolean, Schema.Array(DurationInput)]))
})

const isFormOf = (form: Schema.Codec<unknown>) => {
  const decode = Schema.decodeUnknownResult(form, { onExcessProperty: "error" })
  return (input: unknown): boolean => Result.isSuccess(decode(input))
}

const isAskOptions = isFormOf(AskForm)
const isPlanOptions = isFormOf(PlanForm)

const isRule = (input: unknown): input is Rule => {
  if (!Predicate.hasProperty(input, "_tag")) return false
  const { _tag: tag } = input
  const { match, message, options, handler } = input as { readonly [name: string]: unknown } // checked below
  if (tag === "Allow") return isMatch(match)
  if (tag === "Deny") return isMatch(match) && (message === undefined || Predicate.isString(message))
  if (handler !== undefined && !Predicate.isFunction(handler)) return false
  return (tag === "Ask" && isAskOptions(options)) || (tag === "Plan" && isPlanOptions(options))
}

export type ApprovalRule = Rule
export const ApprovalRule = Schema.declare(isRule, {
  expected:
    "a rule made by Approvals.allow, deny, ask or plan: lists in its match, ~ in no path, options that are known"
})

export const defaultDeadline: Duration.Duration = Duration.seconds(300)
