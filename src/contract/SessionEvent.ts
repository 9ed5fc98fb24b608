/**
 * What a live session has beyond a run: a person is asked, and turns end while the process lives on. Members of
 * `AgentEvent`; each request has exactly one answer, which is an event, too.
 */
import { Schema } from "effect"
import { AgentRunResult } from "./AgentRunResult.ts"

export const parentToolId = Schema.optionalKey(
  Schema.String.annotate({ description: "Tool call of the sub-agent this event belongs to; absent on the main thread" })
)

/** What sort of thing a tool does, told from its name. */
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
 * One change of a file, as the CLI tells it; several of the same path are several places of it. Neither `before` nor
 * `after`: the file is moved as it is.
 */
export const FileEdit = Schema.Struct({
  /** Absolute */
  path: Schema.String,
  /** What is replaced, perhaps with unchanged lines around it; absent: the whole file is written */
  before: Schema.optionalKey(Schema.String),
  /** What takes its place; absent: the file is deleted */
  after: Schema.optionalKey(Schema.String),
  /** The line at which `before` begins, from 1, where that is told */
  line: Schema.optionalKey(Schema.Finite),
  /** `before` is replaced wherever it stands */
  everywhere: Schema.optionalKey(Schema.Literal(true)),
  /** Absolute; the file's new name */
  movedTo: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "FileEdit" })
export type FileEdit = typeof FileEdit.Type

/** What a decision may be remembered for, until the live session ends. */
export const PermissionScope = Schema.Struct({
  /** For `remember`; `exact` is this very request */
  id: Schema.String,
  /** A few words: `this exact command` */
  label: Schema.String,
  /** All that it covers, in a sentence for people */
  covers: Schema.String
}).annotate({ identifier: "PermissionScope" })
export type PermissionScope = typeof PermissionScope.Type

const deadlineMs = Schema.optionalKey(
  Schema.Finite.annotate({
    description: "Until when an answer is waited for, in ms since 1970; absent: as long as the session lives"
  })
)

/** The agent asks before it acts. Exactly one `permission_decision` follows. */
export const PermissionRequestEvent = Schema.Struct({
  type: Schema.tag("permission_request"),
  /** Names this request among those of the session */
  requestId: Schema.String,
  /** As the CLI names it */
  toolName: Schema.String,
  /** Of the `tool_use` that was given before */
  toolId: Schema.String,
  kind: ToolKind,
  /** What the tool would be called with */
  input: Schema.Unknown,
  /** One line for people */
  title: Schema.String,
  /** The command that would be run, as a shell gets it */
  command: Schema.optionalKey(Schema.String),
  /** What would be run may be another command: no rule allows it by its text, each one that denies commands denies it */
  isCommandUncertain: Schema.optionalKey(Schema.Boolean),
  /** Absolute; where it would be run, where the CLI tells that */
  directory: Schema.optionalKey(Schema.String),
  /** Outside of the CLI's sandbox, or of the directories that it may use: only a rule that says so allows it */
  escalated: Schema.Boolean,
  /** Why it is not certain what would be done: no rule that allows fits, and nothing can be remembered */
  doubt: Schema.optionalKey(Schema.String),
  /** Absolute; those that would be read or changed */
  paths: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The changes of files, with their content */
  edits: Schema.optionalKey(Schema.Array(FileEdit)),
  /** The plan that the agent wants to carry out; absent in a request of the kind `plan`: the CLI does not tell it */
  plan: Schema.optionalKey(Schema.String),
  /** Why the CLI asks, in its words */
  reason: Schema.optionalKey(Schema.String),
  /** All of what would be done, as text of up to 64 KiB, which says how much more there is; only where somebody is asked */
  preview: Schema.optionalKey(Schema.String),
  /** What the preview leaves out, such as `90000 characters`; absent where it shows all */
  notShown: Schema.optionalKey(Schema.String),
  /** What the answer may be remembered for; empty: nothing, for the request does not say what it does */
  scopes: Schema.Array(PermissionScope),
  deadlineMs,
  parentToolId
}).annotate({ identifier: "PermissionRequestEvent" })
export type PermissionRequestEvent = typeof PermissionRequestEvent.Type

/**
 * Who decided: a `rule`, a rule's `handler`, a `memory` of an earlier decision, the `caller` of `decide` or `answer`, the
 * `deadline`, the `agent` itself, which no longer asks, or the `end` of the session.
 */
export const DecidedBy = Schema.Literals(["rule", "handler", "memory", "caller", "deadline", "agent", "end"])
export type DecidedBy = typeof DecidedBy.Type

/** The one answer to a `permission_request`. */
export const PermissionDecisionEvent = Schema.Struct({
  type: Schema.tag("permission_decision"),
  /** Of the request that it answers */
  requestId: Schema.String,
  /** `withdrawn`: the agent no longer asks, and was told nothing */
  decision: Schema.Literals(["allow", "deny", "withdrawn"]),
  by: DecidedBy,
  /** What the agent was told of a denial */
  message: Schema.optionalKey(Schema.String),
  /** What the tool is called with instead */
  input: Schema.optionalKey(Schema.Unknown),
  /** The scope for which it is remembered */
  remembered: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "PermissionDecisionEvent" })
export type PermissionDecisionEvent = typeof PermissionDecisionEvent.Type

/** One thing that the agent wants to know. */
export const Question = Schema.Struct({
  /** Also its name in the answers */
  question: Schema.String,
  header: Schema.optionalKey(Schema.String),
  options: Schema.Array(Schema.Struct({ label: Schema.String, description: Schema.optionalKey(Schema.String) })),
  /** Several options can be chosen */
  multiple: Schema.Boolean,
  /** A text that is no option is an answer, too */
  freeText: Schema.Boolean
}).annotate({ identifier: "Question" })
export type Question = typeof Question.Type

/** The agent asks a person. Exactly one `question_answer` follows. */
export const QuestionEvent = Schema.Struct({
  type: Schema.tag("question"),
  /** Names this request among those of the session */
  requestId: Schema.String,
  /** Of the `tool_use` that asks */
  toolId: Schema.optionalKey(Schema.String),
  /** All that is asked at once */
  questions: Schema.Array(Question),
  deadlineMs,
  parentToolId
}).annotate({ identifier: "QuestionEvent" })
export type QuestionEvent = typeof QuestionEvent.Type

/** By question: the labels that were chosen, or a text. */
export const Answers = Schema.Record(Schema.String, Schema.Array(Schema.String))
export type Answers = typeof Answers.Type

/** The one answer to a `question`. */
export const QuestionAnswerEvent = Schema.Struct({
  type: Schema.tag("question_answer"),
  /** Of the question that it answers */
  requestId: Schema.String,
  /** Absent: the agent was told to use its defaults, or asks no longer */
  answers: Schema.optionalKey(Answers),
  by: DecidedBy,
  parentToolId
}).annotate({ identifier: "QuestionAnswerEvent" })
export type QuestionAnswerEvent = typeof QuestionAnswerEvent.Type

/** A turn of a live session is over, and the process lives on: exactly one in every turn, and its last event. */
export const TurnDoneEvent = Schema.Struct({
  type: Schema.tag("turn_done"),
  /** Of the turn alone */
  result: AgentRunResult,
  parentToolId
}).annotate({ identifier: "TurnDoneEvent" })
export type TurnDoneEvent = typeof TurnDoneEvent.Type
