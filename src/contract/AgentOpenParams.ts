/** The parameters of live sessions and turns, also in a conversation. An unsupported option is refused by name. */
import { Schema, Struct } from "effect"
import { AgentExecuteParams, type ParamsOf, type SharedParams } from "./AgentExecuteParams.ts"
import type { Supported } from "./CliSupport.ts"
import { makeParser } from "./checkInput.ts"
import { Hook, HostTool } from "./HostTool.ts"
import { DurationInput } from "./Input.ts"
import { ApprovalRule, type PermissionHandler, type QuestionHandler } from "./Rule.ts"
import type { ConversationParams } from "./Sessions.ts"
import { schemaOf } from "./schemaOf.ts"

const isHandler = (input: unknown): input is QuestionHandler => typeof input === "function"

/** How questions of the agent are answered. */
export interface QuestionOptions {
  /** Answers a `question`. Default: `session.answer` does. */
  readonly handler?: QuestionHandler | undefined
  /** Time for an answer; after it the agent is told to use its defaults. Default: 300 s. */
  readonly deadline?: DurationInput | undefined
}

export const QuestionOptions = schemaOf<QuestionOptions>()(
  Schema.Struct({
    handler: Schema.optional(Schema.declare(isHandler, { expected: "a function" })),
    deadline: Schema.optional(DurationInput)
  })
)

/** Only one of two tools with the same name could be called. */
const isUniquelyNamed = Schema.makeFilter(
  (tools: ReadonlyArray<HostTool>) => new Set(tools.map(({ name }) => name)).size === tools.length,
  { expected: "tools with different names" }
)

const shared = Struct.omit(AgentExecuteParams.fields, ["prompt", "attachments", "outputSchema", "retries"])

/** The parameters of a live session of one CLI, `OpenParamsOf<"codex">`: unsupported options do not compile. */
export interface OpenParamsOf<Id extends string> extends SharedParams<Id> {
  /** Rules for permission requests; the first that matches decides. Default: none, so that all requests are denied. */
  readonly approvals?: ReadonlyArray<ApprovalRule> | undefined
  /** How questions of the agent are answered. Default: `off`, it is told at once to use its defaults. */
  readonly questions?: "off" | QuestionOptions | undefined
  /** Functions of the host that the agent can call as tools. Calls are allowed unless a rule says otherwise. */
  readonly tools?: Supported<Id, "tools", ReadonlyArray<HostTool>> | undefined
  /** Functions of the host that Claude Code calls on certain events. */
  readonly hooks?: Supported<Id, "hooks", ReadonlyArray<Hook>> | undefined
}

/** The fields of a run have the same meaning here, for all turns of the session. */
export interface AgentOpenParams extends OpenParamsOf<string> {}

export const AgentOpenParams = schemaOf<AgentOpenParams>()(
  Schema.Struct({
    ...shared,
    approvals: Schema.optional(Schema.Array(ApprovalRule)),
    questions: Schema.optional(Schema.Union([Schema.Literal("off"), QuestionOptions])),
    tools: Schema.optional(Schema.Array(HostTool).check(isUniquelyNamed)),
    hooks: Schema.optional(Schema.Array(Hook))
  })
)

export const parseOpenParams = makeParser(AgentOpenParams, "params")

/** The parameters of a live session of one CLI, in the plain door. */
export interface PlainOpenParamsOf<Id extends string> extends OpenParamsOf<Id> {
  /** Decides requests that no rule of `approvals` matches, within 300 s. */
  readonly onPermission?: PermissionHandler
  /** Answers questions, within the `deadline` of `questions`; with undefined the agent uses its defaults. */
  readonly onQuestion?: QuestionHandler
}

/** The parameters of a live session in the plain door. */
export interface PlainOpenParams extends PlainOpenParamsOf<string> {}

/** The options of one turn of a live session. `turnId` and `onInterrupted`: only for `turn`, in a conversation. */
export interface TurnOptions<Output = unknown>
  extends Pick<ParamsOf<string, Output>, "attachments" | "outputSchema" | "retries">,
    Pick<ConversationParams, "turnId" | "onInterrupted"> {}

/** The parameters of a run, and its part in a conversation. */
export interface TurnParams<Output = unknown> extends AgentExecuteParams<Output>, ConversationParams {}

/** The same for a run of one CLI. */
export interface TurnParamsOf<Id extends string, Output = unknown> extends ParamsOf<Id, Output>, ConversationParams {}

/** The conversation of a live session, whether it begins a new session, and its worktree. */
export interface ConversationOfSession extends Pick<ConversationParams, "conversation" | "fresh" | "worktree"> {}

/** The parameters of a live session, and its conversation. */
export interface ConversationOpenParams extends AgentOpenParams, ConversationOfSession {}

/** The same for a live session of one CLI, in the plain door. */
export interface PlainConversationOpenParamsOf<Id extends string>
  extends PlainOpenParamsOf<Id>,
    ConversationOfSession {}
