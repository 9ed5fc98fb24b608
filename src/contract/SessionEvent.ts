/**
 * The events of live sessions only: requests to a person, and ends of turns. Members of `AgentEvent`; each request has
 * exactly one answer, which is an event, too. `SessionEvent`, of type `session`, is in `AgentEvent.ts`.
 */
import { Schema } from "effect"
import { AgentRunResult } from "./AgentRunResult.ts"

export const parentToolId = Schema.optionalKey(
  Schema.String.annotate({
    description: "Tool call of the sub-agent that the event belongs to; absent for the main agent"
  })
)

/** The kind of a tool, derived from its name. */
export const ToolKind = Schema.Literals([
  "command",
  "file_change",
  "read",
  "search",
  "web",
  "mcp",
  "subagent",
  "plan",
  "question",
  "other"
])
export type ToolKind = typeof ToolKind.Type

/**
 * One change of a file, as the CLI reports it; several with the same path change several places in it. Without `before` and
 * `after` the file is only moved.
 */
export const FileEdit = Schema.Struct({
  /** Absolute path */
  path: Schema.String,
  /** The replaced text, possibly with unchanged lines around it; absent if the whole file is written */
  before: Schema.optionalKey(Schema.String),
  /** The new text; absent if the file is deleted */
  after: Schema.optionalKey(Schema.String),
  /** Line number of `before`, from 1, if it is known */
  line: Schema.optionalKey(Schema.Finite),
  /** Every occurrence of `before` is replaced */
  everywhere: Schema.optionalKey(Schema.Literal(true)),
  /** Absolute path of the moved file */
  movedTo: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "FileEdit" })
export type FileEdit = typeof FileEdit.Type

/** How far an entry of a plan is. */
export const PlanStatus = Schema.Literals(["pending", "in_progress", "completed", "cancelled", "blocked"])
export type PlanStatus = typeof PlanStatus.Type

/** One step of a plan. */
export const PlanEntry = Schema.Struct({
  /** The step, in the words of the agent */
  text: Schema.String,
  /** Absent if the CLI does not report it, or by a word that is not known here */
  status: Schema.optionalKey(PlanStatus)
}).annotate({ identifier: "PlanEntry" })
export type PlanEntry = typeof PlanEntry.Type

/** A scope for which a decision can be remembered until the live session ends. */
export const PermissionScope = Schema.Struct({
  /** Value for `remember`; `exact` is exactly this request */
  id: Schema.String,
  /** Short description: `this exact command` */
  label: Schema.String,
  /** Everything that it covers, in a sentence for people */
  covers: Schema.String
}).annotate({ identifier: "PermissionScope" })
export type PermissionScope = typeof PermissionScope.Type

const deadlineMs = Schema.optionalKey(
  Schema.Finite.annotate({
    description: "Deadline for an answer, in ms since 1970; absent if there is none"
  })
)

/** The agent asks before it acts. Exactly one `permission_decision` follows. */
export const PermissionRequestEvent = Schema.Struct({
  type: Schema.tag("permission_request"),
  /** Identifies the request in the session */
  requestId: Schema.String,
  /** As the CLI names it */
  toolName: Schema.String,
  /** Id of the `tool_use` that was emitted before */
  toolId: Schema.String,
  kind: ToolKind,
  /** Input of the call */
  input: Schema.Unknown,
  /** One line for people */
  title: Schema.String,
  /** The command that would be run, as a shell gets it */
  command: Schema.optionalKey(Schema.String),
  /** Another command may be run than the one shown: no rule allows it by its text, and every rule that denies commands does */
  isCommandUncertain: Schema.optionalKey(Schema.Boolean),
  /** Absolute path where it would be run, if the CLI reports it */
  directory: Schema.optionalKey(Schema.String),
  /** Outside of the CLI's sandbox, or of the directories that it may use: only a rule with `escalated` allows it */
  escalated: Schema.Boolean,
  /** Why it is uncertain what the request does: no rule allows it, and no answer can be remembered */
  doubt: Schema.optionalKey(Schema.String),
  /** Absolute paths that would be read or changed */
  paths: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Changes of files, with their content */
  edits: Schema.optionalKey(Schema.Array(FileEdit)),
  /** The plan to approve; a request of kind `plan` lacks it if the CLI does not report it */
  plan: Schema.optionalKey(Schema.String),
  /** Why the CLI asks, in its own words */
  reason: Schema.optionalKey(Schema.String),
  /** Everything that would be done, as text of up to 64 KiB that states how much is left out; only if somebody is asked */
  preview: Schema.optionalKey(Schema.String),
  /** The omitted part of the preview, such as `90000 characters`; absent if it shows everything */
  notShown: Schema.optionalKey(Schema.String),
  /** Scopes for which the answer can be remembered; empty if the request does not say what it does */
  scopes: Schema.Array(PermissionScope),
  deadlineMs,
  parentToolId
}).annotate({ identifier: "PermissionRequestEvent" })
export type PermissionRequestEvent = typeof PermissionRequestEvent.Type

/**
 * The origin of a decision: a `rule`, the `handler` of a rule, the `memory` of an earlier decision, the `caller` of `decide`
 * or `answer`, the `deadline`, the `agent`, which withdrew the request, or the `end` of the session.
 */
export const DecidedBy = Schema.Literals(["rule", "handler", "memory", "caller", "deadline", "agent", "end"])
export type DecidedBy = typeof DecidedBy.Type

/** The one answer to a `permission_request`. */
export const PermissionDecisionEvent = Schema.Struct({
  type: Schema.tag("permission_decision"),
  /** Id of the request */
  requestId: Schema.String,
  /** `withdrawn`: the agent does not ask any more, and got no answer */
  decision: Schema.Literals(["allow", "deny", "withdrawn"]),
  by: DecidedBy,
  /** Message of a denial to the agent */
  message: Schema.optionalKey(Schema.String),
  /** Changed input of the call */
  input: Schema.optionalKey(Schema.Unknown),
  /** Id of the scope for which it is remembered */
  remembered: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "PermissionDecisionEvent" })
export type PermissionDecisionEvent = typeof PermissionDecisionEvent.Type

/** One question of the agent. */
export const Question = Schema.Struct({
  /** The question, and its key in the answers */
  question: Schema.String,
  header: Schema.optionalKey(Schema.String),
  options: Schema.Array(Schema.Struct({ label: Schema.String, description: Schema.optionalKey(Schema.String) })),
  /** Several options can be chosen */
  multiple: Schema.Boolean,
  /** An answer can be any text, not only an option */
  freeText: Schema.Boolean
}).annotate({ identifier: "Question" })
export type Question = typeof Question.Type

/** The agent asks a person. Exactly one `question_answer` follows. */
export const QuestionEvent = Schema.Struct({
  type: Schema.tag("question"),
  /** Identifies the request in the session */
  requestId: Schema.String,
  /** Id of the `tool_use` that asks */
  toolId: Schema.optionalKey(Schema.String),
  /** The questions that are asked together */
  questions: Schema.Array(Question),
  deadlineMs,
  parentToolId
}).annotate({ identifier: "QuestionEvent" })
export type QuestionEvent = typeof QuestionEvent.Type

/** For each question the chosen labels, or a text. */
export const Answers = Schema.Record(Schema.String, Schema.Array(Schema.String))
export type Answers = typeof Answers.Type

/** The one answer to a `question`. */
export const QuestionAnswerEvent = Schema.Struct({
  type: Schema.tag("question_answer"),
  /** Id of the question */
  requestId: Schema.String,
  /** Absent if the agent was told to use its defaults, or withdrew the question */
  answers: Schema.optionalKey(Answers),
  by: DecidedBy,
  parentToolId
}).annotate({ identifier: "QuestionAnswerEvent" })
export type QuestionAnswerEvent = typeof QuestionAnswerEvent.Type

/** A turn of a live session ended; the process stays. The last event of every turn; there is exactly one. */
export const TurnDoneEvent = Schema.Struct({
  type: Schema.tag("turn_done"),
  /** Result of this turn */
  result: AgentRunResult,
  parentToolId
}).annotate({ identifier: "TurnDoneEvent" })
export type TurnDoneEvent<Output = unknown> = Omit<typeof TurnDoneEvent.Type, "result"> & {
  readonly result: AgentRunResult<Output>
}
