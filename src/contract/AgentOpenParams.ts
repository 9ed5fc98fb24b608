/** The Schema of the parameters of a live session; their types are in `types/AgentOpenParams.ts`. */
import { Schema } from "effect"
import { AgentExecuteParams } from "./AgentExecuteParams.ts"
import { DurationInput, makeParser } from "./checkInput.ts"
import { Hook, HostTool } from "./HostTool.ts"
import type { QuestionHandler } from "./Rule.ts"
import { ApprovalRule } from "./rules.ts"
import type * as Types from "./types/AgentOpenParams.ts"

const isHandler = (input: unknown): input is QuestionHandler => typeof input === "function"

export const QuestionOptions = Schema.Struct({
  handler: Schema.optional(Schema.declare(isHandler, { expected: "a function" })),
  deadline: Schema.optional(DurationInput)
})
export type QuestionOptions = Types.QuestionOptions

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

export const AgentOpenParams = Schema.Struct({
  ...shared,
  approvals: Schema.optional(Schema.Array(ApprovalRule)),
  questions: Schema.optional(Schema.Union([Schema.Literal("off"), QuestionOptions])),
  tools: Schema.optional(Schema.Array(HostTool).check(isUniquelyNamed)),
  hooks: Schema.optional(Schema.Array(Hook))
})
export type AgentOpenParams = Types.AgentOpenParams

export const parseOpenParams = makeParser(AgentOpenParams, "params")
