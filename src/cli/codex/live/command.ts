/**
 * Params → arguments, files and environment for `codex app-server` (0.169.0); pure. The settings of the thread are in
 * the dialogue; here are those that only the command line has, and those that a resumed thread would forget.
 */
import { Result } from "effect"
import type { FailureReason } from "../../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../../contract/AgentOptions.ts"
import type { Plan, PlanContext } from "../../../contract/Plan.ts"
import { keys, managedLive, workspaceWrite } from "../command/flags.ts"
import { mcpPlan } from "../command/mcp.ts"
import * as Toml from "../command/toml.ts"
import { config, flag, setting, switches, threadProblem } from "../command.ts"

/** The tool is always there, but in the default mode it refuses; the second keeps Codex from warning of it. */
const asking = [
  ...setting("questions", "features.default_mode_request_user_input", "true"),
  ...setting("questions", "suppress_unstable_features_warning", "true")
]

const writable = (directories: ReadonlyArray<string> = []) =>
  directories.length === 0
    ? []
    : setting("additionalDirectories", `${workspaceWrite}.writable_roots`, Toml.list(directories))

export const livePlan = (
  params: AgentOpenParams,
  _options: AgentOptions,
  { privateDirectory }: PlanContext
): Result.Result<Plan, FailureReason> => {
  const problem = threadProblem(params, managedLive)
  if (problem !== undefined) return Result.fail(problem)
  const mcp = mcpPlan(params.mcpServers ?? {}, privateDirectory, true)
  const args = [
    ...flag("live", "app-server"),
    ...switches("live"),
    ...config("effort", keys.effort, params.effort),
    ...writable(params.additionalDirectories),
    ...((params.questions ?? "off") === "off" ? [] : asking),
    ...mcp.config.flatMap((text) => flag("mcpServers", "-c", text)),
    ...flag("extraArgs", ...(params.extraArgs ?? []))
  ]
  return Result.succeed({ args, files: mcp.files, env: mcp.env })
}
