/** Params → arguments, stdin and files of one run of `claude -p` (2.1.328); pure. */
import { Result } from "effect"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { Plan, PlanContext } from "../../contract/Plan.ts"
import { argumentsOf, filesOf, flag, problemOf, value } from "./command/arguments.ts"
import { contentOf } from "./command/blocks.ts"
import { flags } from "./command/flags.ts"
import { disarmed, promptProblem } from "./command/prompt.ts"

const longestArgumentPrompt = 10_000

/** One line, then the end of stdin. */
const jsonInput = value("attachments", flags.inputFormat[0], "stream-json")

export const plan = (
  params: AgentExecuteParams,
  options: AgentOptions,
  { privateDirectory, attachments = [] }: PlanContext
): Result.Result<Plan, FailureReason> => {
  const problem = promptProblem(params.prompt) ?? problemOf(params)
  if (problem !== undefined) return Result.fail(problem)
  const prompt = disarmed(params.prompt, params.slashCommands)
  const hasBlocks = attachments.length > 0
  const asArgument = !hasBlocks && options.promptVia === "argument" && prompt.length <= longestArgumentPrompt
  const message = { type: "user", message: { role: "user", content: contentOf(prompt, { attachments }) } }
  const onStdin = hasBlocks ? `${JSON.stringify(message)}\n` : prompt
  const args = [
    ...argumentsOf(params, privateDirectory, hasBlocks ? jsonInput : []),
    ...(asArgument ? [...flag("prompt", flags.endOfFlags[0]), ...flag("prompt", prompt)] : [])
  ]
  return Result.succeed({ args, files: filesOf(params), stdin: asArgument ? "" : onStdin, env: {} })
}
