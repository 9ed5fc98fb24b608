/** Whether something is a rule of approvals, whoever made it. */
import { Predicate, Result, Schema } from "effect"
import { DurationInput } from "./input.ts"
import type { ApprovalRule, Match } from "./Rule.ts"
import { ToolKind } from "./SessionEvent.ts"

/** `~` would be the name of a directory, and a rule about it would protect nothing. */
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

export const isRule = (input: unknown): input is ApprovalRule => {
  if (!Predicate.hasProperty(input, "_tag")) return false
  const { _tag: tag } = input
  const { match, message, options, handler } = input as { readonly [name: string]: unknown } // looked at here
  if (tag === "Allow") return isMatch(match)
  if (tag === "Deny") return isMatch(match) && (message === undefined || Predicate.isString(message))
  if (handler !== undefined && !Predicate.isFunction(handler)) return false
  return (tag === "Ask" && isAskOptions(options)) || (tag === "Plan" && isPlanOptions(options))
}
