/** The Schemas of the events of live sessions; their types are in `types/SessionEvent.ts`. `SessionEvent` itself is in `AgentEvent.ts`. */
import { Schema } from "effect"
import { AgentRunResult } from "./AgentRunResult.ts"
import type * as Types from "./types/SessionEvent.ts"

export const parentToolId = Schema.optionalKey(Schema.String)

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
export type ToolKind = Types.ToolKind

export const FileEdit = Schema.Struct({
  path: Schema.String,
  before: Schema.optionalKey(Schema.String),
  after: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Finite),
  everywhere: Schema.optionalKey(Schema.Literal(true)),
  movedTo: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "FileEdit" })
export type FileEdit = Types.FileEdit

export const PlanStatus = Schema.Literals(["pending", "in_progress", "completed", "cancelled", "blocked"])
export type PlanStatus = Types.PlanStatus

export const PlanEntry = Schema.Struct({
  text: Schema.String,
  status: Schema.optionalKey(PlanStatus)
}).annotate({ identifier: "PlanEntry" })
export type PlanEntry = Types.PlanEntry

export const PermissionScope = Schema.Struct({
  id: Schema.String,
  label: Schema.String,
  covers: Schema.String
}).annotate({ identifier: "PermissionScope" })
export type PermissionScope = Types.PermissionScope

export const PermissionRequestEvent = Schema.Struct({
  type: Schema.tag("permission_request"),
  requestId: Schema.String,
  toolName: Schema.String,
  toolId: Schema.String,
  kind: ToolKind,
  input: Schema.Unknown,
  title: Schema.String,
  command: Schema.optionalKey(Schema.String),
  isCommandUncertain: Schema.optionalKey(Schema.Boolean),
  directory: Schema.optionalKey(Schema.String),
  escalated: Schema.Boolean,
  doubt: Schema.optionalKey(Schema.String),
  paths: Schema.optionalKey(Schema.Array(Schema.String)),
  edits: Schema.optionalKey(Schema.Array(FileEdit)),
  plan: Schema.optionalKey(Schema.String),
  reason: Schema.optionalKey(Schema.String),
  preview: Schema.optionalKey(Schema.String),
  notShown: Schema.optionalKey(Schema.String),
  scopes: Schema.Array(PermissionScope),
  deadlineMs: Schema.optionalKey(Schema.Finite),
  parentToolId
}).annotate({ identifier: "PermissionRequestEvent" })
export type PermissionRequestEvent = Types.PermissionRequestEvent

export const DecidedBy = Schema.Literals(["rule", "handler", "memory", "caller", "deadline", "agent", "end"])
export type DecidedBy = Types.DecidedBy

/** In events: the person of an answer, and where they gave it. */
const decider = { person: Schema.optionalKey(Schema.String), where: Schema.optionalKey(Schema.String) }

export const PermissionDecisionEvent = Schema.Struct({
  type: Schema.tag("permission_decision"),
  requestId: Schema.String,
  decision: Schema.Literals(["allow", "deny", "withdrawn"]),
  by: DecidedBy,
  ...decider,
  message: Schema.optionalKey(Schema.String),
  input: Schema.optionalKey(Schema.Unknown),
  remembered: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "PermissionDecisionEvent" })
export type PermissionDecisionEvent = Types.PermissionDecisionEvent

export const Question = Schema.Struct({
  question: Schema.String,
  header: Schema.optionalKey(Schema.String),
  options: Schema.Array(Schema.Struct({ label: Schema.String, description: Schema.optionalKey(Schema.String) })),
  multiple: Schema.Boolean,
  freeText: Schema.Boolean
}).annotate({ identifier: "Question" })
export type Question = Types.Question

export const QuestionEvent = Schema.Struct({
  type: Schema.tag("question"),
  requestId: Schema.String,
  toolId: Schema.optionalKey(Schema.String),
  questions: Schema.Array(Question),
  deadlineMs: Schema.optionalKey(Schema.Finite),
  parentToolId
}).annotate({ identifier: "QuestionEvent" })
export type QuestionEvent = Types.QuestionEvent

export const Answers = Schema.Record(Schema.String, Schema.Array(Schema.String))
export type Answers = Types.Answers

export const QuestionAnswerEvent = Schema.Struct({
  type: Schema.tag("question_answer"),
  requestId: Schema.String,
  answers: Schema.optionalKey(Answers),
  by: DecidedBy,
  ...decider,
  parentToolId
}).annotate({ identifier: "QuestionAnswerEvent" })
export type QuestionAnswerEvent = Types.QuestionAnswerEvent

export const TurnDoneEvent = Schema.Struct({
  type: Schema.tag("turn_done"),
  result: AgentRunResult,
  parentToolId
}).annotate({ identifier: "TurnDoneEvent" })
export type TurnDoneEvent<Output = unknown> = Types.TurnDoneEvent<Output>
