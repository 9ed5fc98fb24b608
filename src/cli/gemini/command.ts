/**
 * Params → arguments, stdin, files and environment for one headless run of `gemini` (0.61.0); pure. Values stand behind
 * `=`, since a value of its own that begins with `-` is read as a flag. What no flag can say goes into the settings.
 */
import { Result } from "effect"
import { type FailureReason, InvalidParams } from "../../AgentError.ts"
import type { AgentExecuteParams, PermissionMode } from "../../AgentExecuteParams.ts"
import type { AgentOptions } from "../../AgentOptions.ts"
import type { Argument, Plan, PlanContext, SettingsPatch } from "../Cli.ts"
import { mcpPlan } from "./mcp.ts"
import { policyOf } from "./policy.ts"
import { isListItem, problemOf } from "./refusals.ts"

export const settingsPath = [".gemini", "settings.json"]

export const apiKeys = ["GEMINI_API_KEY", "GOOGLE_API_KEY"]

const approvalModes: Readonly<Record<PermissionMode, string | undefined>> = {
  default: undefined,
  plan: "plan",
  "accept-edits": "auto_edit",
  bypass: "yolo"
}

const longestArgumentPrompt = 10_000

const fileNames = { systemPrompt: "system.md", policy: "policy.toml" }
const temporaryDirectory = "tmp"

/** A leading `/` would run a command of the CLI; behind a blank it is text. Nothing switches `@path` off. */
const disarm = (prompt: string) => (prompt.startsWith("/") ? ` ${prompt}` : prompt)

const value = (option: string, name: string, given: string | undefined): ReadonlyArray<Argument> =>
  given === undefined ? [] : [{ option, text: `${name}=${given}` }]

const each = (option: string, name: string, given: ReadonlyArray<string> = []): ReadonlyArray<Argument> =>
  given.map((item) => ({ option, text: `${name}=${item}` }))

/** `--policy` takes the place of the user's own policies, so they are named, too; a missing folder is no error. */
const policyPaths = ({ env, privateDirectory }: PlanContext): ReadonlyArray<string> => {
  const home = env["GEMINI_CLI_HOME"] || env["HOME"]
  const own = `${privateDirectory}/${fileNames.policy}`
  return home === undefined ? [own] : [own, `${home}/.gemini/policies`]
}

/** A name that no server has: the CLI takes no empty list. */
const noServer = "no:server"

/** The names of the servers that may be used, if not all. */
const onlyServers = ({ strictMcpServers, mcpServers = {} }: AgentExecuteParams): ReadonlyArray<string> => {
  if (strictMcpServers !== true) return []
  const names = Object.keys(mcpServers)
  return names.length === 0 ? [noServer] : names
}

const settingsOf = (
  { maxTurns }: AgentExecuteParams,
  mcpServers: Readonly<Record<string, unknown>>
): SettingsPatch | undefined => {
  const patch = {
    ...(Object.keys(mcpServers).length === 0 ? {} : { mcpServers }),
    ...(maxTurns === undefined ? {} : { model: { maxSessionTurns: maxTurns } })
  }
  return Object.keys(patch).length === 0 ? undefined : { path: settingsPath, patch }
}

const environmentOf = (params: AgentExecuteParams, options: AgentOptions, { privateDirectory }: PlanContext) => ({
  // The settings are read before `--skip-trust` is: with "false" those of the workspace are not obeyed.
  GEMINI_CLI_TRUST_WORKSPACE: params.trustWorkspace === false ? "false" : "true",
  // Else the process that is started passes no signal on to the one that does the work.
  GEMINI_CLI_NO_RELAUNCH: "true",
  NO_COLOR: "1",
  // Every failure of the API leaves a file with the conversation there, readable for all.
  TMPDIR: `${privateDirectory}/${temporaryDirectory}`,
  ...(params.systemPrompt === undefined ? {} : { GEMINI_SYSTEM_MD: `${privateDirectory}/${fileNames.systemPrompt}` }),
  // A key that is missing is looked for in `.env` files; an empty one is not.
  ...(options.billing === "subscription" ? Object.fromEntries(apiKeys.map((name) => [name, ""])) : {})
})

const argumentsOf = (params: AgentExecuteParams, policies: ReadonlyArray<string>): ReadonlyArray<Argument> => [
  ...value("outputFormat", "--output-format", "stream-json"),
  ...value("model", "--model", params.model),
  ...value("permissionMode", "--approval-mode", params.permissionMode && approvalModes[params.permissionMode]),
  ...each("allowedTools", "--policy", policies),
  ...each("additionalDirectories", "--include-directories", params.additionalDirectories),
  ...value("sessionId", "--resume", params.sessionId),
  ...value("newSessionId", "--session-id", params.newSessionId),
  ...each("strictMcpServers", "--allowed-mcp-server-names", onlyServers(params)),
  ...(params.trustWorkspace === false ? [{ option: "trustWorkspace", text: "--skip-trust" }] : []),
  ...(params.extraArgs ?? []).map((text) => ({ option: "extraArgs", text }))
]

export const plan = (
  params: AgentExecuteParams,
  options: AgentOptions,
  context: PlanContext
): Result.Result<Plan, FailureReason> =>
  Result.gen(function* () {
    const problem = problemOf(params)
    if (problem !== undefined) return yield* Result.fail(problem)
    const policy = yield* policyOf(params)
    const mcp = yield* mcpPlan(params.mcpServers, context.privateDirectory)
    const policies = policy === undefined ? [] : policyPaths(context)
    const unlisted = policies.find((path) => !isListItem(path))
    if (unlisted !== undefined) {
      const found = `${JSON.stringify(unlisted)} has a comma or a blank at an end: the CLI would not find its rules`
      return yield* Result.fail(new InvalidParams({ option: "allowedTools", problem: found }))
    }
    const settings = settingsOf(params, mcp.servers)
    const prompt = params.slashCommands === true ? params.prompt : disarm(params.prompt)
    const asArgument = options.promptVia === "argument" && prompt.length <= longestArgumentPrompt
    const files = [
      { name: fileNames.systemPrompt, content: params.systemPrompt },
      { name: fileNames.policy, content: policy }
    ].flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }]))
    return {
      args: [...argumentsOf(params, policies), ...(asArgument ? value("prompt", "--prompt", prompt) : [])],
      files,
      directories: [temporaryDirectory],
      ...(settings === undefined ? {} : { settings }),
      stdin: asArgument ? "" : prompt,
      env: { ...environmentOf(params, options, context), ...mcp.env }
    }
  })
