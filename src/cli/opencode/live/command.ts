/**
 * Params → arguments, environment and files for `opencode acp` (1.18.33). Sessions, servers, model and mode are for the
 * protocol; what it has no word for is configuration, as in a run.
 */
import { randomBytes } from "node:crypto"
import { Result } from "effect"
import type { FailureReason } from "../../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../../contract/AgentOptions.ts"
import type { Plan, PlanContext } from "../../../contract/Plan.ts"
import { merge, parseVariable, printConfig } from "../command/config.ts"
import { liveContradictionOf, problemOf } from "../command/problems.ts"
import { flag, type Keep, promptParts, untrusted } from "../command.ts"
import { liveRulesOf } from "./permissions.ts"

/** OpenCode listens on loopback, and everybody on the machine could read its sessions there. */
const serverPassword = () => randomBytes(24).toString("base64url")

export const livePlan = (
  params: AgentOpenParams,
  _options: AgentOptions,
  { env, workingDirectory, privateDirectory }: PlanContext
): Result.Result<Plan, FailureReason> =>
  Result.gen(function* () {
    const problem = problemOf(params, liveContradictionOf(params))
    if (problem !== undefined) return yield* Result.fail(problem)
    const callersConfig = yield* parseVariable("OPENCODE_CONFIG_CONTENT", env["OPENCODE_CONFIG_CONTENT"])
    const callersRules = yield* parseVariable("OPENCODE_PERMISSION", env["OPENCODE_PERMISSION"])
    const keep: Keep = (name, content) => ({ file: { name, content }, path: `${privateDirectory}/${name}` })
    // The mode can change, and with it the agent whose prompt this is.
    const prompts = promptParts(params, ["build", "plan"], keep)
    const { main, plan, subAgents } = liveRulesOf(params, workingDirectory)
    const agent = {
      build: { permission: main },
      plan: { permission: plan },
      general: { permission: subAgents },
      explore: { permission: subAgents }
    }
    const config = [prompts.config, { agent }].reduce(merge, callersConfig)
    return {
      args: [...flag("session", "acp"), ...(params.extraArgs ?? []).map((text) => ({ option: "extraArgs", text }))],
      files: prompts.files,
      env: {
        OPENCODE_CONFIG_CONTENT: printConfig(config),
        OPENCODE_PERMISSION: JSON.stringify(merge(callersRules, main)),
        OPENCODE_SERVER_PASSWORD: env["OPENCODE_SERVER_PASSWORD"] || serverPassword(),
        // The tool would wait for an answer that can never come.
        OPENCODE_ENABLE_QUESTION_TOOL: "0",
        ...(params.trustWorkspace === false ? untrusted : {})
      }
    }
  })
