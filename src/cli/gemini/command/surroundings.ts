/**
 * Arguments, environment, files and settings common to a headless run and a live session of `gemini` (0.61.0); pure.
 * Values follow `=`, since a separate value that begins with `-` is read as a flag.
 */
import { Result } from "effect"
import { InvalidParams } from "../../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../../contract/AgentOptions.ts"
import type { Argument, PlanContext, PlanFile, SettingsPatch } from "../../../contract/Plan.ts"
import { policyOf } from "./policy.ts"
import { isListItem } from "./refusals.ts"

export const settingsPath = [".gemini", "settings.json"]

export const apiKeys = ["GEMINI_API_KEY", "GOOGLE_API_KEY"]

/** Common to both kinds of params. */
type Params = Pick<
  AgentOpenParams,
  | "model"
  | "allowedTools"
  | "disallowedTools"
  | "additionalDirectories"
  | "mcpServers"
  | "strictMcpServers"
  | "trustWorkspace"
  | "systemPrompt"
  | "maxTurns"
>

const fileNames = { systemPrompt: "system.md", policy: "policy.toml" }
export const temporaryDirectory = "tmp"

export const value = (option: string, name: string, input: string | undefined): ReadonlyArray<Argument> =>
  input === undefined ? [] : [{ option, text: `${name}=${input}` }]

const each = (option: string, name: string, input: ReadonlyArray<string> = []): ReadonlyArray<Argument> =>
  input.map((item) => ({ option, text: `${name}=${item}` }))

/** `--policy` replaces the user's own policies, so they are named, too; a missing folder is not an error. */
const policyPaths = ({ env, privateDirectory }: PlanContext): ReadonlyArray<string> => {
  const home = env["GEMINI_CLI_HOME"] || env["HOME"]
  const own = `${privateDirectory}/${fileNames.policy}`
  return home === undefined ? [own] : [own, `${home}/.gemini/policies`]
}

/** A name that no server has: the CLI takes no empty list. */
const noServer = "no:server"

/** The names of the servers that may be used, if not all. */
const onlyServers = ({ strictMcpServers, mcpServers = {} }: Params): ReadonlyArray<string> => {
  if (strictMcpServers !== true) return []
  const names = Object.keys(mcpServers)
  return names.length === 0 ? [noServer] : names
}

/**
 * A start that resumes nothing deletes sessions of its directory that were resumed in a later minute than they began in: the
 * second file of such a session has only its head, and with it all files of the session are cleared away.
 */
const keepsSessions = { general: { sessionRetention: { enabled: false } } }

const mayLose =
  "Gemini CLI is started as it is set up, and may delete sessions that were resumed, since its settings file cannot be changed"

/**
 * Settings of a workspace that is not trusted are not obeyed, and those of the machine must be the administrator's: there,
 * a start deletes what it would.
 */
export const settingsOf = (
  { maxTurns, trustWorkspace }: Params,
  mcpServers: Readonly<Record<string, unknown>>
): SettingsPatch | undefined => {
  if (trustWorkspace === false) return undefined
  const settings = {
    ...(Object.keys(mcpServers).length === 0 ? {} : { mcpServers }),
    ...(maxTurns === undefined ? {} : { model: { maxSessionTurns: maxTurns } })
  }
  const isNeeded = Object.keys(settings).length > 0
  return { path: settingsPath, patch: { ...settings, ...keepsSessions }, ...(isNeeded ? {} : { otherwise: mayLose }) }
}

export const environmentOf = (params: Params, options: AgentOptions, { privateDirectory }: PlanContext) => ({
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

export interface Common {
  readonly args: ReadonlyArray<Argument>
  readonly files: ReadonlyArray<PlanFile>
}

/** The arguments but for those of the one way to run it, and the files that they and the environment name. */
export const commonOf = (
  params: Params,
  context: PlanContext,
  approvalMode: string | undefined
): Result.Result<Common, InvalidParams> =>
  Result.gen(function* () {
    const policy = yield* policyOf(params)
    const policies = policy === undefined ? [] : policyPaths(context)
    const unlisted = policies.find((path) => !isListItem(path))
    if (unlisted !== undefined) {
      const found = `${JSON.stringify(unlisted)} has a comma or a blank at an end: the CLI would not find its rules`
      return yield* Result.fail(new InvalidParams({ option: "allowedTools", problem: found }))
    }
    const files = [
      { name: fileNames.systemPrompt, content: params.systemPrompt },
      { name: fileNames.policy, content: policy }
    ].flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }]))
    const args = [
      ...value("model", "--model", params.model),
      ...value("permissionMode", "--approval-mode", approvalMode),
      ...each("allowedTools", "--policy", policies),
      ...each("additionalDirectories", "--include-directories", params.additionalDirectories),
      ...each("strictMcpServers", "--allowed-mcp-server-names", onlyServers(params))
    ]
    return { args, files }
  })
