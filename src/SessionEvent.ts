/**
 * What a live session has beyond a run: a person is asked, and turns end while the process lives on. Members of
 * `AgentEvent`; each request has exactly one answer, which is an event, too.
 */
import { Schema } from "effect"
import { AgentRunResult } from "./AgentRunResult.ts"

/** The tool call of the sub-agent an event belongs to; absent on the main thread. */
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

/** The agent asks before it acts. Exactly one `permission_decision` follows. */
export const PermissionRequestEvent = Schema.Struct({
  type: Schema.tag("permission_request"),
  /** Names this request among those of the session */
  requestId: Schema.String.annotate({ description: "Names this request among those of the session" }),
  toolName: Schema.String,
  /** Of the `tool_use` that was given before */
  toolId: Schema.String,
  kind: ToolKind,
  /** What the tool would be called with */
  input: Schema.Unknown.annotate({ description: "What the tool would be called with" }),
  /** One line for people */
  title: Schema.String.annotate({ description: "One line for people" }),
  /** The command that would be run */
  command: Schema.optionalKey(Schema.String.annotate({ description: "The command that would be run" })),
  /** What would be run may be another command: no rule allows it by its text, each one that denies commands denies it */
  isCommandUncertain: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "What would be run may be another command than the one that is shown" })
  ),
  /** Absolute; those that would be read or changed */
  paths: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "Absolute; those that would be read or changed" })
  ),
  /** The plan that the agent wants to carry out, where it asks to leave plan mode */
  plan: Schema.optionalKey(Schema.String.annotate({ description: "The plan that the agent wants to carry out" })),
  /** Why the CLI asks, in its words */
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why the CLI asks, in its words" })),
  /** Some lines of what would be done; only where a person is asked */
  preview: Schema.optionalKey(
    Schema.String.annotate({ description: "Some lines of what would be done; only where a person is asked" })
  ),
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
  requestId: Schema.String,
  /** `withdrawn`: the agent no longer asks, and was told nothing */
  decision: Schema.Literals(["allow", "deny", "withdrawn"]),
  by: DecidedBy,
  /** What the agent was told of a denial */
  message: Schema.optionalKey(Schema.String.annotate({ description: "What the agent was told of a denial" })),
  /** What the tool is called with instead */
  input: Schema.optionalKey(Schema.Unknown.annotate({ description: "What the tool is called with instead" })),
  parentToolId
}).annotate({ identifier: "PermissionDecisionEvent" })
export type PermissionDecisionEvent = typeof PermissionDecisionEvent.Type

/** One thing that the agent wants to know. */
export const Question = Schema.Struct({
  /** Also its name in the answers */
  question: Schema.String.annotate({ description: "Also its name in the answers" }),
  header: Schema.optionalKey(Schema.String),
  options: Schema.Array(Schema.Struct({ label: Schema.String, description: Schema.optionalKey(Schema.String) })),
  /** Several options can be chosen */
  multiple: Schema.Boolean.annotate({ description: "Several options can be chosen" }),
  /** A text that is no option is an answer, too */
  freeText: Schema.Boolean.annotate({ description: "A text that is no option is an answer, too" })
})
export type Question = typeof Question.Type

/** The agent asks a person. Exactly one `question_answer` follows. */
export const QuestionEvent = Schema.Struct({
  type: Schema.tag("question"),
  requestId: Schema.String,
  toolId: Schema.optionalKey(Schema.String),
  questions: Schema.Array(Question),
  parentToolId
}).annotate({ identifier: "QuestionEvent" })
export type QuestionEvent = typeof QuestionEvent.Type

/** By question: the labels that were chosen, or a text. */
export const Answers = Schema.Record(Schema.String, Schema.Array(Schema.String))
export type Answers = typeof Answers.Type

/** The one answer to a `question`. */
export const QuestionAnswerEvent = Schema.Struct({
  type: Schema.tag("question_answer"),
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
  result: AgentRunResult.annotate({ description: "Of the turn alone" }),
  parentToolId
}).annotate({ identifier: "TurnDoneEvent" })
export type TurnDoneEvent = typeof TurnDoneEvent.Type
