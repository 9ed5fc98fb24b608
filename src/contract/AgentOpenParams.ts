/**
 * What a caller asks of a live session. What an agent cannot do is refused by name (`UnsupportedOption`) before anything
 * is started, never dropped.
 */
import { Schema } from "effect"
import { AgentExecuteParams } from "./AgentExecuteParams.ts"
import { Hook, HostTool } from "./HostTool.ts"
import { DurationInput, makeParser } from "./input.ts"
import { ApprovalRule, type QuestionHandler } from "./Rule.ts"

const isHandler = (input: unknown): input is QuestionHandler => typeof input === "function"

export const QuestionOptions = Schema.Struct({
  /** Answers a `question`; without one, `session.answer` does. */
  handler: Schema.optional(Schema.declare(isHandler, { expected: "a function" })),
  /** After that the agent is told to use its defaults. Default: 300 s. */
  deadline: Schema.optional(DurationInput)
})
export type QuestionOptions = typeof QuestionOptions.Type

/** Of two with one name, only one could ever be called. */
const isUniquelyNamed = Schema.makeFilter(
  (tools: ReadonlyArray<HostTool>) => new Set(tools.map(({ name }) => name)).size === tools.length,
  { expected: "tools with different names" }
)

const { prompt: _prompt, outputSchema: _outputSchema, ...shared } = AgentExecuteParams.fields

/** The fields of a run mean the same here, for all turns of the session. */
export const AgentOpenParams = Schema.Struct({
  ...shared,
  /** Who decides what the agent asks for: the first rule that matches. Default: none, so that all of that is denied. */
  approvals: Schema.optional(Schema.Array(ApprovalRule)),
  /** Who answers what the agent wants to know. Default: `off`, it is told to use its defaults at once. */
  questions: Schema.optional(Schema.Union([Schema.Literal("off"), QuestionOptions])),
  /** Functions of the host that the agent can call as tools. They may be called unless a rule says otherwise. */
  tools: Schema.optional(Schema.Array(HostTool).check(isUniquelyNamed)),
  /** Functions of the host that Claude Code calls at certain moments. */
  hooks: Schema.optional(Schema.Array(Hook))
})
export type AgentOpenParams = typeof AgentOpenParams.Type

export const parseOpenParams = makeParser(AgentOpenParams, "params")
