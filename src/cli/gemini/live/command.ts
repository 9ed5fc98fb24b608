/**
 * Params → arguments, files and environment of a live session, `gemini --acp` (0.61.0); pure. MCP servers and the
 * session to resume are in the dialogue, since the CLI has no flags for them there.
 */
import { Redacted, Result } from "effect"
import { type FailureReason, InvalidParams } from "../../../contract/AgentError.ts"
import type { McpServer, PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../../contract/AgentOptions.ts"
import type { Plan, PlanContext } from "../../../contract/Plan.ts"
import { type MaybeSecret, reveal } from "../../../contract/Redacted.ts"
import { mcpProblemOf } from "../command/mcp.ts"
import { liveProblemOf } from "../command/refusals.ts"
import { commonOf, environmentOf, settingsOf, temporaryDirectory } from "../command/surroundings.ts"

/** Without the flag, the user's own settings can switch approvals off. */
const approvalModes: Readonly<Record<PermissionMode, string>> = {
  default: "default",
  plan: "plan",
  "accept-edits": "auto_edit",
  bypass: "yolo"
}

export const livePlan = (
  params: AgentOpenParams,
  options: AgentOptions,
  context: PlanContext
): Result.Result<Plan, FailureReason> =>
  Result.gen(function* () {
    const problem = liveProblemOf(params) ?? serverProblemOf(params) ?? toolProblemOf(params)
    if (problem !== undefined) return yield* Result.fail(problem)
    const mode = params.permissionMode && approvalModes[params.permissionMode]
    const { args, files } = yield* commonOf(params, context, mode)
    const settings = settingsOf(params, {})
    const extra = (params.extraArgs ?? []).map((text) => ({ option: "extraArgs", text }))
    return {
      args: [{ option: "live session", text: "--acp" }, ...args, ...extra],
      files,
      directories: [temporaryDirectory],
      ...(settings === undefined ? {} : { settings }),
      // Output of a shell command in a terminal never reaches the protocol; output into a pipe does.
      env: { ...environmentOf(params, options, context), GEMINI_PTY_INFO: "child_process" }
    }
  })

const serverProblemOf = ({ mcpServers = {} }: AgentOpenParams): InvalidParams | undefined => {
  const problem = Object.entries(mcpServers)
    .map(([name, server]) => mcpProblemOf(name, server))
    .find((found) => found !== undefined)
  return problem === undefined ? undefined : new InvalidParams({ option: "mcpServers", problem })
}

/**
 * Tools hidden from the model, whichever server they come from: the first two in every mode, the last in `bypass`. The
 * CLI compares the name without that of its server (0.61.0).
 */
const leftOut = ["ask_user", "exit_plan_mode", "enter_plan_mode"]

const toolProblemOf = ({ tools = [] }: AgentOpenParams): InvalidParams | undefined => {
  const tool = tools.find(({ name }) => leftOut.includes(name))
  if (tool === undefined) return undefined
  const problem = `Gemini CLI would not offer its model a tool that is called "${tool.name}"; use another name`
  return new InvalidParams({ option: "tools", problem })
}

/** The CLI replaces `$NAME` in these; behind a backslash a dollar stands for itself. */
const plain = (values: Readonly<Record<string, MaybeSecret>> = {}) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      return [name, Redacted.make(reveal(value).replaceAll("$", "\\$"))]
    })
  )

/** The servers in the form of the dialogue. */
export const sessionServers = ({ mcpServers = {} }: AgentOpenParams): Readonly<Record<string, McpServer>> =>
  Object.fromEntries(
    Object.entries(mcpServers).map(([name, server]) => [
      name,
      "url" in server ? { ...server, headers: plain(server.headers) } : { ...server, env: plain(server.env) }
    ])
  )
