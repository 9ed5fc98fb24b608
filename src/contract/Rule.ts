/** The types of approvals: matches, handlers, answers and rules, with the check whether a value is a rule. */
import { Duration, Predicate, Result, Schema } from "effect"
import type { Eventually } from "./eventually.ts"
import { DurationInput } from "./input.ts"
import { type Answers, type PermissionRequestEvent, type QuestionEvent, ToolKind } from "./SessionEvent.ts"

/** The requests that a rule applies to: all given fields must fit. An empty match fits everything. */
export interface Match {
  /** Names of tools; `*` matches any characters: `mcp__db__*`. */
  readonly tools?: ReadonlyArray<string>
  /** Sorts of tools, the same for all CLIs: `command`, `file_change`, `read`… */
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
  /**
   * Globs for the directory in which a command would be run, as for `paths`. A request without a directory fits none.
   */
  readonly directories?: ReadonlyArray<string>
  /**
   * `true`: only requests outside of the CLI's sandbox, or of the directories that it may use; `false`: only others. By
   * default an allowing rule fits no escalated request, and a rule that denies or asks fits both.
   */
  readonly escalated?: boolean
}

/**
 * `remember`: id of a scope of the request; requests that it covers are decided the same without asking, until the session
 * ends. `true` is the scope `exact`: exactly this request. Anything beyond the scopes needs a rule.
 */
export type PermissionAnswer =
  | {
      readonly decision: "allow"
      /** Another input for the call; only Claude Code supports that. */
      readonly input?: unknown
      readonly remember?: boolean | string
    }
  | {
      readonly decision: "deny"
      /** Message for the model. Default: that it was denied, and by whom. */
      readonly message?: string
      /** Also ends the turn. Default: false. */
      readonly interrupt?: boolean
      readonly remember?: boolean | string
    }

/** `outline`: not yet, the agent is to describe the plan first. */
export type PlanAnswer = PermissionAnswer | { readonly decision: "outline" }

export interface AskContext {
  /** Aborted when no answer is needed any more. */
  readonly signal: AbortSignal
}

export type PermissionHandler = (request: PermissionRequestEvent, context: AskContext) => Eventually<PermissionAnswer>
export type PlanHandler = (request: PermissionRequestEvent, context: AskContext) => Eventually<PlanAnswer>
/** With undefined the agent uses its defaults. */
export type QuestionHandler = (question: QuestionEvent, context: AskContext) => Eventually<Answers | undefined>

export interface AskOptions {
  /** Fits like the match of a denying rule: one path or command is enough. Default: everything. */
  readonly match?: Match
  /** Time for an answer. Default: 300 s. */
  readonly deadline?: Duration.Input
  /**
   * The decision after the deadline, or when the handler fails or gives no answer. `allow` counts only for requests that
   * `match` would fit in an allowing rule. Default: `deny`.
   */
  readonly otherwise?: "allow" | "deny"
}

export interface PlanOptions {
  /** Time for an answer. Default: 300 s; then the plan is denied. */
  readonly deadline?: Duration.Input
  /** Approves every plan without asking. Default: false. */
  readonly auto?: boolean
  /** Minimum length of an outline, in characters. Default: 200. */
  readonly outlineLength?: number
  /**
   * Times before a denied plan can be tried again: after the first denial, the second, and so on; the last one repeats.
   * `true`: 30, 60, 90, 120 s. Default: none.
   */
  readonly cooldown?: boolean | ReadonlyArray<Duration.Input>
}

export type ApprovalRule =
  | { readonly _tag: "Allow"; readonly match: Match }
  | { readonly _tag: "Deny"; readonly match: Match; readonly message?: string }
  | { readonly _tag: "Ask"; readonly handler?: PermissionHandler; readonly options: AskOptions }
  | { readonly _tag: "Plan"; readonly handler?: PlanHandler; readonly options: PlanOptions }

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

const isRule = (input: unknown): input is ApprovalRule => {
  if (!Predicate.hasProperty(input, "_tag")) return false
  const { _tag: tag } = input
  const { match, message, options, handler } = input as { readonly [name: string]: unknown } // checked below
  if (tag === "Allow") return isMatch(match)
  if (tag === "Deny") return isMatch(match) && (message === undefined || Predicate.isString(message))
  if (handler !== undefined && !Predicate.isFunction(handler)) return false
  return (tag === "Ask" && isAskOptions(options)) || (tag === "Plan" && isPlanOptions(options))
}

export const ApprovalRule = Schema.declare(isRule, {
  expected:
    "a rule made by Approvals.allow, deny, ask or plan: lists in its match, ~ in no path, options that are known"
})

export const defaultDeadline: Duration.Duration = Duration.seconds(300)
