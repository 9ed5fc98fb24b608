/** The words of approvals: what a rule is about, what a handler is asked and answers, and whether a value is a rule. */
import { Duration, Predicate, Result, Schema } from "effect"
import type { Eventually } from "./eventually.ts"
import { DurationInput } from "./input.ts"
import { type Answers, type PermissionRequestEvent, type QuestionEvent, ToolKind } from "./SessionEvent.ts"

/** What a rule is about: all that is given must fit. Nothing given fits everything. */
export interface Match {
  /** Names of tools; `*` stands for any characters: `mcp__db__*`. */
  readonly tools?: ReadonlyArray<string>
  /** Sorts of tools, the same for all CLIs: `command`, `file_change`, `read`… */
  readonly kinds?: ReadonlyArray<ToolKind>
  /**
   * Globs, relative to the working directory or absolute: `src/**`; `src/` is the same. `*` stands for hidden files, too.
   * A rule that allows needs all paths of the request to fit, one that denies any. A request without paths fits no glob.
   * Paths are compared as they are named, after `..` is resolved: a symbolic link is not followed, and letters differ in
   * case also where the disk knows no difference.
   */
  readonly paths?: ReadonlyArray<string>
  /**
   * Commands; `*` stands for any characters: `git *`. A rule that allows fits no text with which a shell does more than
   * run one command (`;`, `&&`, `|`, `$(…)`, `>`, a line break…); one that denies fits when any of its commands does.
   * Variables that are set in front (`A=1 git`) fit no `*` of a rule that allows. An expression is tried on the whole
   * text as it is, and what it lets through is up to it. A rule that allows fits no tool that is no shell, whatever that
   * calls its command. What a shell runs can be hidden from every reading of its text
   * (`$X`, a script): to be safe, allow what is fine rather than deny what is not.
   */
  readonly commands?: ReadonlyArray<string | RegExp>
  /**
   * Globs for the directory in which a command would be run, as for `paths`. A request that names no directory fits none.
   */
  readonly directories?: ReadonlyArray<string>
  /**
   * `true`: only what would be done outside of the CLI's sandbox, or of the directories that it may use; `false`: only
   * what would not. A rule that allows and says nothing of it never fits an escalated request; one that denies or asks
   * does.
   */
  readonly escalated?: boolean
}

/**
 * `remember`: what the request's scope of this id covers is decided the same without asking, until the session ends;
 * `true` is the scope `exact`, this very request. What lies beyond the scopes of a request, only a rule can allow.
 */
export type PermissionAnswer =
  | {
      readonly decision: "allow"
      /** What the tool is called with instead; only Claude Code takes that. */
      readonly input?: unknown
      readonly remember?: boolean | string
    }
  | {
      readonly decision: "deny"
      /** For the model. Default: that it was denied, and by whom. */
      readonly message?: string
      /** Also ends the turn. Default: false. */
      readonly interrupt?: boolean
      readonly remember?: boolean | string
    }

/** `outline`: not yet; the agent shall describe the plan first. */
export type PlanAnswer = PermissionAnswer | { readonly decision: "outline" }

export interface AskContext {
  /** Aborted when no answer is wanted any more. */
  readonly signal: AbortSignal
}

export type PermissionHandler = (request: PermissionRequestEvent, context: AskContext) => Eventually<PermissionAnswer>
export type PlanHandler = (request: PermissionRequestEvent, context: AskContext) => Eventually<PlanAnswer>
/** Undefined: use your defaults. */
export type QuestionHandler = (question: QuestionEvent, context: AskContext) => Eventually<Answers | undefined>

export interface AskOptions {
  /** Fits as in a rule that denies: one path or command is enough. Default: everything. */
  readonly match?: Match
  /** Time for an answer. Default: 300 s. */
  readonly deadline?: Duration.Input
  /**
   * What is decided when that is over, or when the handler fails or gives no answer; `allow` holds only for what `match`
   * fits as in a rule that allows. Default: `deny`.
   */
  readonly otherwise?: "allow" | "deny"
}

export interface PlanOptions {
  /** Time for an answer. Default: 300 s; then the plan is denied. */
  readonly deadline?: Duration.Input
  /** Approves every plan without asking. Default: false. */
  readonly auto?: boolean
  /** Characters of an outline that suffice. Default: 200. */
  readonly outlineLength?: number
  /**
   * How long a plan that was denied may not be tried again: after the first denial, the second…, the last for all that
   * follow. `true`: 30, 60, 90, 120 s. Default: none.
   */
  readonly cooldown?: boolean | ReadonlyArray<Duration.Input>
}

export type ApprovalRule =
  | { readonly _tag: "Allow"; readonly match: Match }
  | { readonly _tag: "Deny"; readonly match: Match; readonly message?: string }
  | { readonly _tag: "Ask"; readonly handler?: PermissionHandler; readonly options: AskOptions }
  | { readonly _tag: "Plan"; readonly handler?: PlanHandler; readonly options: PlanOptions }

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

const isRule = (input: unknown): input is ApprovalRule => {
  if (!Predicate.hasProperty(input, "_tag")) return false
  const { _tag: tag } = input
  const { match, message, options, handler } = input as { readonly [name: string]: unknown } // looked at here
  if (tag === "Allow") return isMatch(match)
  if (tag === "Deny") return isMatch(match) && (message === undefined || Predicate.isString(message))
  if (handler !== undefined && !Predicate.isFunction(handler)) return false
  return (tag === "Ask" && isAskOptions(options)) || (tag === "Plan" && isPlanOptions(options))
}

/** Whoever made it. */
export const ApprovalRule = Schema.declare(isRule, {
  expected:
    "a rule made by Approvals.allow, deny, ask or plan: lists in its match, ~ in no path, options that are known"
})

export const defaultDeadline: Duration.Duration = Duration.seconds(300)
