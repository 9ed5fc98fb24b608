/** Approvals: requests of a CLI before they are events, matches, handlers, answers, and rules with their Schema. */
import { Duration, Predicate, Result, Schema } from "effect"
import { makeParser } from "./checkInput.ts"
import { DurationInput, type Eventually } from "./Input.ts"
import type { Answers, PermissionRequestEvent, QuestionEvent } from "./SessionEvent.ts"
import { hintFor } from "./suggestions.ts"
import { ToolKind } from "./ToolEvent.ts"

/** The requests that a rule applies to: all fields must fit. An empty match fits everything. */
export interface Match {
  /** Names of tools; `*` matches any characters: `mcp__db__*`. */
  readonly tools?: ReadonlyArray<string>
  /** Kinds of tools, the same for all CLIs: `command`, `file_change`, `read`… */
  readonly kinds?: ReadonlyArray<ToolKind>
  /**
   * Globs, relative to the working directory or absolute: `src/**`, or `src/` for the same. `*` matches hidden files, too.
   * An allowing rule needs all paths of the request to fit, a denying one any. A request without paths fits no glob.
   * Paths are compared as text after `..` is resolved: symbolic links are not followed, and case matters even where it
   * does not for the file system.
   */
  readonly paths?: ReadonlyArray<string>
  /**
   * Commands; `*` matches any characters: `git *`. An allowing rule never fits a text with which a shell does more than
   * run one command (`;`, `&&`, `|`, `$(…)`, `>`, a line break…); a denying one fits if any command in the text does.
   * Variables that are set in front (`A=1 git`) match no `*` of an allowing rule. A regular expression is tested on the
   * whole text, without these checks. An allowing rule fits only tools that are shells. A text can hide what a shell runs
   * (`$X`, a script): to be safe, allow what is fine instead of denying what is not.
   */
  readonly commands?: ReadonlyArray<string | RegExp>
  /** Globs for the directory of a command, as for `paths`. A request without a directory does not fit. */
  readonly directories?: ReadonlyArray<string>
  /**
   * `true`: only requests outside of the CLI's sandbox or directories; `false`: only others. By default an allowing
   * rule fits no escalated request, and a rule that denies or asks fits both.
   */
  readonly escalated?: boolean
}

/** Whether to remember a decision. */
export interface Remembering {
  /**
   * Id of a scope of the request: requests that it covers are decided the same without asking, until the session ends, and
   * by the scope `edits` of a plan until the turn ends. `true` is the scope `exact`: exactly this request. Anything
   * beyond the scopes needs a rule. Default: false.
   */
  readonly remember?: boolean | string
}

/** The person who decided, for events and people. Not checked: the caller has to know whether they may decide. */
export interface Decider {
  /** The name of the person, of which 64 characters are kept. Default: none. */
  readonly person?: string
  /** Where they decided, such as `telegram`; of the same length. Default: none. */
  readonly where?: string
}

/** Allows the call. */
export interface AllowAnswer extends Remembering, Decider {
  readonly decision: "allow"
  /** Another input for the call; only Claude Code supports that. */
  readonly input?: unknown
}

/** Denies the call. */
export interface DenyAnswer extends Remembering, Decider {
  readonly decision: "deny"
  /** Message for the model. Default: a denial with the name of the person. */
  readonly message?: string
  /** Also ends the turn. Default: false. */
  readonly interrupt?: boolean
}

/** The decision of a permission request. */
export type PermissionAnswer = AllowAnswer | DenyAnswer

/** Asks the agent to describe the plan first. */
export interface OutlineAnswer extends Decider {
  readonly decision: "outline"
}

/** The decision of a request of kind `plan`. */
export type PlanAnswer = PermissionAnswer | OutlineAnswer

/** The second argument of a handler, after the request. */
export interface AskContext {
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal
}

/** Decides a permission request. */
export type PermissionHandler = (request: PermissionRequestEvent, context: AskContext) => Eventually<PermissionAnswer>
/** Decides a request of kind `plan`. */
export type PlanHandler = (request: PermissionRequestEvent, context: AskContext) => Eventually<PlanAnswer>
/** Answers a question; with undefined the agent uses its defaults. */
export type QuestionHandler = (question: QuestionEvent, context: AskContext) => Eventually<Answers | undefined>

/** Options of `ask`. */
export interface AskOptions {
  /** Fits like the match of a denying rule: one path or command is enough. Default: everything. */
  readonly match?: Match
  /** Time for an answer. Default: 300 s. */
  readonly deadline?: DurationInput
  /**
   * The decision after the deadline, or without an answer of the handler. `allow` counts only for requests that `match`
   * would fit in an allowing rule. Default: `deny`.
   */
  readonly otherwise?: "allow" | "deny"
}

/** Options of `plan`. */
export interface PlanOptions {
  /** Time for an answer. Default: 300 s; then the plan is denied. */
  readonly deadline?: DurationInput
  /** Approves every plan without asking. Default: false. */
  readonly auto?: boolean
  /** Minimum length of an outline, in characters. Default: 200. */
  readonly outlineLength?: number
  /** Times before a denied plan can be tried again; the last one repeats. `true`: 30, 60, 90, 120 s. Default: none. */
  readonly cooldown?: boolean | ReadonlyArray<DurationInput>
}

/** Made by `allow`. */
export interface AllowRule {
  readonly _tag: "Allow"
  readonly match: Match
}

/** Made by `deny`. */
export interface DenyRule {
  readonly _tag: "Deny"
  readonly match: Match
  /** For the model. */
  readonly message?: string
}

/** Made by `ask`. */
export interface AskRule {
  readonly _tag: "Ask"
  readonly handler?: PermissionHandler
  readonly options: AskOptions
}

/** Made by `plan`. */
export interface PlanRule {
  readonly _tag: "Plan"
  readonly handler?: PlanHandler
  readonly options: PlanOptions
}

/** A pattern with `~` would match a directory of that name, and the rule would protect nothing. */
const isPattern = (pattern: unknown) => Predicate.isString(pattern) && !/^~(\/|$)/.test(pattern)

const text = { isItem: Predicate.isString, issue: "Expected a text" }
const pathPattern = { isItem: isPattern, issue: "Expected a path that does not begin with ~" }

const lists: {
  readonly [Name in Exclude<keyof Match, "escalated">]-?: {
    readonly isItem: (item: unknown) => boolean
    readonly issue: string
  }
} = {
  tools: text,
  kinds: { isItem: Schema.is(ToolKind), issue: "is not a known kind of tool" },
  paths: pathPattern,
  directories: pathPattern,
  commands: {
    isItem: (item) => Predicate.isString(item) || item instanceof RegExp,
    issue: "Expected a text or a RegExp"
  }
}

/** A problem, and its place in the rule. */
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
  if (!Array.isArray(value)) return { path: [name], issue: "Expected a list" }
  const index = value.findIndex((item) => !list.isItem(item))
  return index === -1 ? undefined : { path: [name, String(index)], issue: list.issue }
}

const matchProblem = (match: unknown, place: ReadonlyArray<string>): Problem | undefined => {
  if (!Predicate.isObject(match)) return { path: place, issue: "Expected an object" }
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

const isMade = (input: unknown): input is ApprovalRule =>
  Predicate.hasProperty(input, "_tag") && tags.some((tag) => tag === input._tag)

const ruleProblem = (rule: ApprovalRule): Problem | undefined => {
  const { match, message, options, handler }: { readonly [name: string]: unknown } = { ...rule } // each is checked here
  if (rule._tag === "Allow" || rule._tag === "Deny") {
    const isMessage = message === undefined || Predicate.isString(message)
    return isMessage ? matchProblem(match, ["match"]) : { path: ["message"], issue: "Expected a text" }
  }
  if (handler !== undefined && !Predicate.isFunction(handler)) return { path: ["handler"], issue: "is not a function" }
  return optionsProblem(rule._tag, options)
}

/** A rule for permission requests, made by `Approvals.allow`, `deny`, `ask` or `plan`. */
export type ApprovalRule = AllowRule | DenyRule | AskRule | PlanRule

export const ApprovalRule = Schema.declare(isMade, {
  expected: "a rule made by Approvals.allow, deny, ask or plan"
}).check(Schema.makeFilter(ruleProblem))

export const defaultDeadline: Duration.Duration = Duration.seconds(300)

/** A wider permission that the agent offers with a request; it is never given to the agent itself. */
export interface Offer {
  /** For people, in a few words. */
  readonly label: string
  /** Everything that it covers, in a sentence for people. */
  readonly covers: string
  readonly match: Match
}

/** A permission request in the terms that all CLIs share. Paths and the directory may be relative. */
export interface PermissionAsk
  extends Omit<PermissionRequestEvent, "type" | "preview" | "notShown" | "scopes" | "deadlineMs" | "escalated"> {
  /** Default: false. */
  readonly escalated?: boolean
  /** Whether an answer can change the input of the call. */
  readonly takesInput: boolean
  /** The part of the input that no other field contains, for the preview. Default: all of it. */
  readonly rest?: unknown
  /** The fields do not describe all that the call would do: it can be decided, but not remembered. */
  readonly isIncomplete?: boolean
  /** Become scopes of the request if they cover it. */
  readonly offers?: ReadonlyArray<Offer>
  /**
   * Names of the tools that change files and do nothing else, for a plan. It can be approved together with their calls
   * until the turn ends, but for those that the CLI gives a `reason` for. Default: none.
   */
  readonly plannedEdits?: ReadonlyArray<string>
}

/** The decision for the CLI; with another input only where it supports that. */
export type Decision =
  | { readonly decision: "allow"; readonly input?: unknown }
  | {
      readonly decision: "deny"
      readonly message: string
      readonly interrupt?: boolean
      /** The message only says that it was denied. */
      readonly isBare?: boolean
    }
