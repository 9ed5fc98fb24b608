/** Checks whether a value is a rule of approvals; the types of rules are in `types/Rule.ts`. */
import { Duration, Predicate, Result, Schema } from "effect"
import { DurationInput, makeParser } from "./checkInput.ts"
import type { Match, ApprovalRule as Rule } from "./Rule.ts"
import { ToolKind } from "./SessionEvent.ts"
import { hintFor } from "./suggestions.ts"

/** `~` would be taken for a directory of that name, and the rule would protect nothing. */
const isPattern = (pattern: unknown) => Predicate.isString(pattern) && !/^~(\/|$)/.test(pattern)

const text = { isItem: Predicate.isString, issue: "Expected string" }
const pattern = { isItem: isPattern, issue: "Expected a path that does not begin with ~" }

const lists: {
  readonly [Name in Exclude<keyof Match, "escalated">]-?: {
    readonly isItem: (item: unknown) => boolean
    readonly issue: string
  }
} = {
  tools: text,
  kinds: { isItem: Schema.is(ToolKind), issue: "is not a known kind of tool" },
  paths: pattern,
  directories: pattern,
  commands: {
    isItem: (item) => Predicate.isString(item) || item instanceof RegExp,
    issue: "Expected string or RegExp"
  }
}

/** What is wrong, and where in the rule. */
interface Problem {
  readonly path: ReadonlyArray<string>
  readonly issue: string
}

const matchFields = [...Object.keys(lists), "escalated"]

const fieldProblem = (name: string, value: unknown): Problem | undefined => {
  if (name === "escalated") {
    return Predicate.isBoolean(value) ? undefined : { path: [name], issue: "Expected true or false" }
  }
  const list = Object.hasOwn(lists, name) ? lists[name as keyof typeof lists] : undefined // its own key
  if (list === undefined) return { path: [name], issue: `is not a known field${hintFor(name, matchFields)}` }
  if (!Array.isArray(value)) return { path: [name], issue: "Expected array" }
  const index = value.findIndex((item) => !list.isItem(item))
  return index === -1 ? undefined : { path: [name, String(index)], issue: list.issue }
}

const matchProblem = (match: unknown, place: ReadonlyArray<string>): Problem | undefined => {
  if (!Predicate.isObject(match)) return { path: place, issue: "Expected object" }
  for (const [name, value] of Object.entries(match)) {
    const problem = value === undefined ? undefined : fieldProblem(name, value)
    if (problem !== undefined) return { path: [...place, ...problem.path], issue: problem.issue }
  }
  return undefined
}

const AskForm = Schema.Struct({
  match: Schema.optional(Schema.Unknown),
  deadline: Schema.optional(DurationInput),
  otherwise: Schema.optional(Schema.Literals(["allow", "deny"]))
})

const PlanForm = Schema.Struct({
  deadline: Schema.optional(DurationInput),
  auto: Schema.optional(Schema.Boolean),
  outlineLength: Schema.optional(Schema.Finite),
  cooldown: Schema.optional(Schema.Union([Schema.Boolean, Schema.Array(DurationInput)]))
})

const parsers = { Ask: makeParser(AskForm, ""), Plan: makeParser(PlanForm, "") }

const optionsProblem = (tag: keyof typeof parsers, options: unknown): Problem | undefined => {
  const parsed = parsers[tag](options)
  if (Result.isFailure(parsed)) {
    const { option, problem } = parsed.failure
    return { path: option === "" ? ["options"] : ["options", option], issue: problem }
  }
  const match = tag === "Ask" && Predicate.hasProperty(options, "match") ? options.match : undefined
  return match === undefined ? undefined : matchProblem(match, ["options", "match"])
}

const tags = ["Allow", "Deny", "Ask", "Plan"] as const

const isMade = (input: unknown): input is Rule =>
  Predicate.hasProperty(input, "_tag") && tags.some((tag) => tag === input._tag)

const ruleProblem = (rule: Rule): Problem | undefined => {
  const { match, message, options, handler }: { readonly [name: string]: unknown } = { ...rule } // each is checked here
  if (rule._tag === "Allow" || rule._tag === "Deny") {
    const isMessage = message === undefined || Predicate.isString(message)
    return isMessage ? matchProblem(match, ["match"]) : { path: ["message"], issue: "Expected string" }
  }
  if (handler !== undefined && !Predicate.isFunction(handler)) return { path: ["handler"], issue: "is not a function" }
  return optionsProblem(rule._tag, options)
}

export type ApprovalRule = Rule
export const ApprovalRule = Schema.declare(isMade, {
  expected: "a rule made by Approvals.allow, deny, ask or plan"
}).check(Schema.makeFilter(ruleProblem))

export const defaultDeadline: Duration.Duration = Duration.seconds(300)
