/**
 * The parameters of a live session. An option that a CLI does not support is refused by name (`UnsupportedOption`) before
 * anything is started, never ignored.
 */
import { Schema } from "effect"
import { AgentExecuteParams } from "./AgentExecuteParams.ts"
import { Hook, HostTool } from "./HostTool.ts"
import { DurationInput, makeParser } from "./input.ts"
import { ApprovalRule, type QuestionHandler } from "./Rule.ts"

const isHandler = (input: unknown): input is QuestionHandler => typeof input === "function"

export const QuestionOptions = Schema.Struct({
  /** Answers a `question`. Default: `session.answer` does. */
  handler: Schema.optional(Schema.declare(isHandler, { expected: "a function" })),
  /** Time for an answer; after it the agent is told to use its defaults. Default: 300 s. */
  deadline: Schema.optional(DurationInput)
})
export type QuestionOptions = typeof QuestionOptions.Type

/** Of two tools with the same name, only one could be called. */
const isUniquelyNamed = Schema.makeFilter(
  (tools: ReadonlyArray<HostTool>) => new Set(tools.map(({ name }) => name)).size === tools.length,
  { expected: "tools with different names" }
)

const {
  prompt: _prompt,
  attachments: _attachments,
  outputSchema: _outputSchema,
  retries: _retries,
  ...shared
} = AgentExecuteParams.fields

/** The fields of a run have the same meaning here, for all turns of the session. */
export const AgentOpenParams = Schema.Struct({
  ...shared,
  /** Rules for permission requests; the first that matches decides. Default: none, so that all requests are denied. */
  approvals: Schema.optional(Schema.Array(ApprovalRule)),
  /** How questions of the agent are answered. Default: `off`, it is told at once to use its defaults. */
  questions: Schema.optional(Schema.Union([Schema.Literal("off"), QuestionOptions])),
  /** Functions of the host that the agent can call as tools. Calls are allowed unless a rule says otherwise. */
  tools: Schema.optional(Schema.Array(HostTool).check(isUniquelyNamed)),
  /** Functions of the host that Claude Code calls on certain events. */
  hooks: Schema.optional(Schema.Array(Hook))
})
export type AgentOpenParams = typeof AgentOpenParams.Type

export const parseOpenParams = makeParser(AgentOpenParams, "params")
