/**
 * Params → arguments and files of a live session (2.1.328); pure. Prompts and answers are lines on a stdin that stays
 * open. The prompt tool `stdio` is one only together with that input: without it, it is taken for the name of a tool.
 */
import { Result } from "effect"
import type { FailureReason } from "../../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../../contract/AgentOptions.ts"
import type { Plan, PlanContext } from "../../../contract/Plan.ts"
import { argumentsOf, filesOf, problemOf, value } from "../command/arguments.ts"
import { flags } from "../command/flags.ts"

const channel = [
  ...value("live", flags.inputFormat[0], "stream-json"),
  ...value("live", flags.permissionPrompts[0], "stdio")
]

export const livePlan = (
  params: AgentOpenParams,
  _options: AgentOptions,
  { privateDirectory }: PlanContext
): Result.Result<Plan, FailureReason> => {
  const problem = problemOf(params)
  if (problem !== undefined) return Result.fail(problem)
  return Result.succeed({ args: argumentsOf(params, privateDirectory, channel), files: filesOf(params), env: {} })
}
