/** The types of approvals: matches, handlers, answers and rules. */
import type { DurationInput, Eventually } from "./Input.ts"
import type { Answers, PermissionRequestEvent, QuestionEvent, ToolKind } from "./SessionEvent.ts"

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

/** Whether a decision is remembered. */
export interface Remembering {
  /**
   * Id of a scope of the request: requests that it covers are decided the same without asking, until the session ends.
   * `true` is the scope `exact`: exactly this request. Anything beyond the scopes needs a rule. Default: false.
   */
  readonly remember?: boolean | string
}

/** Who decided, for the events and for people. It decides nothing: whether they may is for the caller to check. */
export interface Decider {
  /** The name of the person, of which 64 characters are kept. Default: none. */
  readonly person?: string
  /** Where they decided, such as `telegram`; as short. Default: none. */
  readonly where?: string
}

export interface AllowAnswer extends Remembering, Decider {
  readonly decision: "allow"
  /** Another input for the call; only Claude Code supports that. */
  readonly input?: unknown
}

export interface DenyAnswer extends Remembering, Decider {
  readonly decision: "deny"
  /** Message for the model. Default: that it was denied, and by whom. */
  readonly message?: string
  /** Also ends the turn. Default: false. */
  readonly interrupt?: boolean
}

/** The decision of a permission request. */
export type PermissionAnswer = AllowAnswer | DenyAnswer

/** Not yet: the agent is to describe the plan first. */
export interface OutlineAnswer extends Decider {
  readonly decision: "outline"
}

/** The decision of a request of kind `plan`. */
export type PlanAnswer = PermissionAnswer | OutlineAnswer

/** What a handler gets beside the request. */
export interface AskContext {
  /** Aborted when no answer is needed any more. */
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
   * The decision after the deadline, or when the handler fails or gives no answer. `allow` counts only for requests that
   * `match` would fit in an allowing rule. Default: `deny`.
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
  /**
   * Times before a denied plan can be tried again: after the first denial, the second, and so on; the last one repeats.
   * `true`: 30, 60, 90, 120 s. Default: none.
   */
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

/** A rule for permission requests, made by `Approvals.allow`, `deny`, `ask` or `plan`. */
export type ApprovalRule = AllowRule | DenyRule | AskRule | PlanRule
