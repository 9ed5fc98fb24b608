/**
 * Params → arguments, stdin, files and environment for one headless run of `gemini` (0.61.0); pure. Options without a
 * flag go into the settings.
 */
import { Result } from "effect"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentExecuteParams, PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { Argument, Plan, PlanContext } from "../../contract/Plan.ts"
import { attached } from "./command/attachments.ts"
import { mcpPlan } from "./command/mcp.ts"
import { problemOf } from "./command/refusals.ts"
import { type Common, commonOf, environmentOf, settingsOf, temporaryDirectory, value } from "./command/surroundings.ts"

const approvalModes: Readonly<Record<PermissionMode, string | undefined>> = {
  default: undefined,
  plan: "plan",
  "accept-edits": "auto_edit",
  bypass: "yolo"
}

const longestArgumentPrompt = 10_000

/** A leading `/` would run a command of the CLI; behind a blank it is text. Nothing switches `@path` off. */
const disarm = (prompt: string) => (prompt.startsWith("/") ? ` ${prompt}` : prompt)

const argumentsOf = (params: AgentExecuteParams, common: Common): ReadonlyArray<Argument> => [
  ...value("outputFormat", "--output-format", "stream-json"),
  ...common.args,
  ...value("sessionId", "--resume", params.sessionId),
  ...value("newSessionId", "--session-id", params.newSessionId),
  ...(params.trustWorkspace === false ? [{ option: "trustWorkspace", text: "--skip-trust" }] : []),
  ...(params.extraArgs ?? []).map((text) => ({ option: "extraArgs", text }))
]

export const plan = (
  params: AgentExecuteParams,
  options: AgentOptions,
  context: PlanContext
): Result.Result<Plan, FailureReason> =>
  Result.gen(function* () {
    const files = attached(context)
    const problem = problemOf(params) ?? files.problem
    if (problem !== undefined) return yield* Result.fail(problem)
    const common = yield* commonOf(params, context, params.permissionMode && approvalModes[params.permissionMode])
    const mcp = yield* mcpPlan(params.mcpServers, context.privateDirectory)
    const settings = settingsOf(params, mcp.servers)
    const prompt = params.slashCommands === true ? params.prompt : disarm(params.prompt)
    const named = `${prompt}${files.references}`
    const asArgument = options.promptVia === "argument" && named.length <= longestArgumentPrompt
    return {
      args: [...argumentsOf(params, common), ...files.args, ...(asArgument ? value("prompt", "--prompt", named) : [])],
      files: common.files,
      directories: [temporaryDirectory],
      ...files.plan,
      ...(settings === undefined ? {} : { settings }),
      stdin: asArgument ? "" : named,
      env: { ...environmentOf(params, options, context), ...mcp.env }
    }
  })
