/** The events of live sessions only: requests, each with exactly one answer, and ends of turns. */
import { Schema } from "effect"
import { AgentRunResult } from "./AgentRunResult.ts"
import { schemaOf } from "./schemaOf.ts"
import { type EventParts, eventOf, FileEdit, ToolKind } from "./ToolEvent.ts"

/** A scope for which a decision can be remembered until the live session ends, or the turn for the edits of a plan. */
export interface PermissionScope {
  /** Value for `remember`; `exact` is exactly this request, `edits` a plan and its edits in this turn */
  readonly id: string
  /** Short description: `this exact command` */
  readonly label: string
  /** Everything that it covers, in a sentence for people */
  readonly covers: string
}

export const PermissionScope = schemaOf<PermissionScope>()(
  Schema.Struct({
    id: Schema.String,
    label: Schema.String,
    covers: Schema.String
  }).annotate({ identifier: "PermissionScope" })
)

/** The agent asks before it acts. Exactly one `permission_decision` follows. */
export interface PermissionRequestEvent extends EventParts {
  readonly type: "permission_request"
  /** Identifies the request in the session */
  readonly requestId: string
  /** As the CLI names it */
  readonly toolName: string
  /** Id of the `tool_use` that was emitted before */
  readonly toolId: string
  /** The kind of the tool, the same for every CLI */
  readonly kind: ToolKind
  /** Input of the call */
  readonly input: unknown
  /** One line for people */
  readonly title: string
  /** The command that would be run, as a shell gets it */
  readonly command?: string
  /** Another command may be run than the one shown: no rule allows it by its text, and every rule that denies commands does */
  readonly isCommandUncertain?: boolean
  /** Absolute path where it would be run, if the CLI reports it */
  readonly directory?: string
  /** Outside of the CLI's sandbox, or of the directories that it may use: only a rule with `escalated` allows it */
  readonly escalated: boolean
  /** Why it is uncertain what the request does: no rule allows it, and no answer can be remembered */
  readonly doubt?: string
  /** Absolute paths that would be read or changed */
  readonly paths?: ReadonlyArray<string>
  /** Changes of files, with their content */
  readonly edits?: ReadonlyArray<FileEdit>
  /** The plan to approve; a request of kind `plan` lacks it if the CLI does not report it */
  readonly plan?: string
  /** Why the CLI asks, in its own words */
  readonly reason?: string
  /** Everything that would be done, as text of up to 64 KiB that states how much is left out; only if a person is asked */
  readonly preview?: string
  /** The omitted part of the preview, such as `90000 characters`; absent if it shows everything */
  readonly notShown?: string
  /** Scopes for which the answer can be remembered; empty if the request does not say what it does */
  readonly scopes: ReadonlyArray<PermissionScope>
  /** Deadline for an answer, in ms since 1970; absent without one */
  readonly deadlineMs?: number
}

export const PermissionRequestEvent = schemaOf<PermissionRequestEvent>()(
  eventOf("PermissionRequestEvent", "permission_request", {
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
    deadlineMs: Schema.optionalKey(Schema.Finite)
  })
)

/**
 * The origin of a decision: a `rule`, the `handler` of a rule, the `memory` of an earlier decision, the `caller` of
 * `decide` or `answer`, the `deadline`, the `agent`, which withdrew the request, or the `end` of the session.
 */
export type DecidedBy = "rule" | "handler" | "memory" | "caller" | "deadline" | "agent" | "end"

export const DecidedBy = schemaOf<DecidedBy>()(
  Schema.Literals(["rule", "handler", "memory", "caller", "deadline", "agent", "end"])
)

/** In events: the person of an answer, and where they gave it. */
const decider = { person: Schema.optionalKey(Schema.String), where: Schema.optionalKey(Schema.String) }

/** The one answer to a `permission_request`. */
export interface PermissionDecisionEvent extends EventParts {
  readonly type: "permission_decision"
  /** Id of the request */
  readonly requestId: string
  /** `withdrawn`: the agent no longer asks, and got no answer */
  readonly decision: "allow" | "deny" | "withdrawn"
  readonly by: DecidedBy
  /** Name of the person who decided, if the answer had it */
  readonly person?: string
  /** Where they decided, such as `telegram`, if the answer had it */
  readonly where?: string
  /** Message of a denial to the agent */
  readonly message?: string
  /** Changed input of the call */
  readonly input?: unknown
  /** Id of the scope for which it is remembered */
  readonly remembered?: string
}

export const PermissionDecisionEvent = schemaOf<PermissionDecisionEvent>()(
  eventOf("PermissionDecisionEvent", "permission_decision", {
    requestId: Schema.String,
    decision: Schema.Literals(["allow", "deny", "withdrawn"]),
    by: DecidedBy,
    ...decider,
    message: Schema.optionalKey(Schema.String),
    input: Schema.optionalKey(Schema.Unknown),
    remembered: Schema.optionalKey(Schema.String)
  })
)

/** An option to choose as the answer to a question. */
export interface QuestionOption {
  /** The value for the answers */
  readonly label: string
  /** For people */
  readonly description?: string
}

/** One question of the agent. */
export interface Question {
  /** The question, and its key in the answers */
  readonly question: string
  /** A word or two, such as the topic */
  readonly header?: string
  /** The choices; empty for a free answer */
  readonly options: ReadonlyArray<QuestionOption>
  /** Several options can be chosen */
  readonly multiple: boolean
  /** An answer can be any text, not only an option */
  readonly freeText: boolean
}

export const Question = schemaOf<Question>()(
  Schema.Struct({
    question: Schema.String,
    header: Schema.optionalKey(Schema.String),
    options: Schema.Array(Schema.Struct({ label: Schema.String, description: Schema.optionalKey(Schema.String) })),
    multiple: Schema.Boolean,
    freeText: Schema.Boolean
  }).annotate({ identifier: "Question" })
)

/** The agent asks a person. Exactly one `question_answer` follows. */
export interface QuestionEvent extends EventParts {
  readonly type: "question"
  /** Identifies the request in the session */
  readonly requestId: string
  /** Id of the `tool_use` that asks */
  readonly toolId?: string
  /** The questions that are asked together */
  readonly questions: ReadonlyArray<Question>
  /** Deadline for an answer, in ms since 1970; absent without one */
  readonly deadlineMs?: number
}

export const QuestionEvent = schemaOf<QuestionEvent>()(
  eventOf("QuestionEvent", "question", {
    requestId: Schema.String,
    toolId: Schema.optionalKey(Schema.String),
    questions: Schema.Array(Question),
    deadlineMs: Schema.optionalKey(Schema.Finite)
  })
)

/** For each question the chosen labels, or a text. */
export interface Answers {
  readonly [question: string]: ReadonlyArray<string>
}

export const Answers = schemaOf<Answers>()(Schema.Record(Schema.String, Schema.Array(Schema.String)))

/** The one answer to a `question`. */
export interface QuestionAnswerEvent extends EventParts {
  readonly type: "question_answer"
  /** Id of the question */
  readonly requestId: string
  /** Absent if the agent was told to use its defaults, or withdrew the question */
  readonly answers?: Answers
  readonly by: DecidedBy
  /** Name of the person who answered, if the answer had it */
  readonly person?: string
  /** Where they answered, such as `telegram`, if the answer had it */
  readonly where?: string
}

export const QuestionAnswerEvent = schemaOf<QuestionAnswerEvent>()(
  eventOf("QuestionAnswerEvent", "question_answer", {
    requestId: Schema.String,
    answers: Schema.optionalKey(Answers),
    by: DecidedBy,
    ...decider
  })
)

/** A turn of a live session ended; the process stays. The last event of every turn; there is exactly one. */
export interface TurnDoneEvent<Output = unknown> extends EventParts {
  readonly type: "turn_done"
  /** Result of this turn */
  readonly result: AgentRunResult<Output>
}

export const TurnDoneEvent = schemaOf<TurnDoneEvent>()(
  eventOf("TurnDoneEvent", "turn_done", { result: AgentRunResult })
)
