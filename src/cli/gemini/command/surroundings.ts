/** The common parts of runs and live sessions of `gemini` (0.61.0); pure. A value after a space is read as a flag. */
import { Result } from "effect"
import type { InvalidParams } from "../../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../../contract/AgentOptions.ts"
import type { PlanContext, SettingsPatch } from "../../../contract/Plan.ts"
import { each, invalid, value } from "../../commandLine.ts"
import { addedContext, type PlanParts, systemPromptOf } from "./addedContext.ts"
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
  | "appendSystemPrompt"
  | "maxTurns"
>

const fileNames = { systemPrompt: "system.md", policy: "policy.toml" }
const temporaryDirectory = "tmp"

/** `--policy` replaces the user's own policies, so they are added; a missing folder is not an error. */
const policyPaths = ({ env, privateDirectory }: PlanContext): ReadonlyArray<string> => {
  const home = env["GEMINI_CLI_HOME"] || env["HOME"]
  const own = `${privateDirectory}/${fileNames.policy}`
  return home === undefined ? [own] : [own, `${home}/.gemini/policies`]
}

/** An impossible name: the CLI takes no empty list. */
const noServer = "no:server"

/** The names of the allowed servers, or none if all are. */
const onlyServers = ({ strictMcpServers, mcpServers = {} }: Params): ReadonlyArray<string> => {
  if (strictMcpServers !== true) return []
  const names = Object.keys(mcpServers)
  return names.length === 0 ? [noServer] : names
}

/**
 * Without this, a new session deletes sessions of its directory that were resumed in a later minute than their first: the
 * second file of such a session has only its head, and with it all files of the session are cleared away.
 */
const keepsSessions = { general: { sessionRetention: { enabled: false } } }

const mayLose =
  "Gemini CLI is started as it is set up, and may delete sessions that were resumed, since its settings file cannot be changed"

/** Undefined for an untrusted workspace, whose settings are ignored; the machine's settings are the administrator's. */
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
  // Else the first process starts another one and passes no signal on to it.
  GEMINI_CLI_NO_RELAUNCH: "true",
  NO_COLOR: "1",
  // Every failure of the API leaves a world-readable file with the conversation there.
  TMPDIR: `${privateDirectory}/${temporaryDirectory}`,
  ...(params.systemPrompt === undefined ? {} : { GEMINI_SYSTEM_MD: `${privateDirectory}/${fileNames.systemPrompt}` }),
  // A missing key is searched in `.env` files; an empty one is not.
  ...(options.billing === "subscription" ? Object.fromEntries(apiKeys.map((name) => [name, ""])) : {})
})

/** The common arguments, and the files and directories that they and the environment name. */
export const commonOf = (
  params: Params,
  context: PlanContext,
  approvalMode: string | undefined
): Result.Result<PlanParts, InvalidParams> =>
  Result.gen(function* () {
    const policy = yield* policyOf(params)
    const policies = policy === undefined ? [] : policyPaths(context)
    const unlisted = policies.find((path) => !isListItem(path))
    if (unlisted !== undefined) {
      const found = `${JSON.stringify(unlisted)} has a comma or a blank at an end: the CLI would not find its rules`
      return yield* Result.fail(invalid("allowedTools", found))
    }
    const added = yield* addedContext(params, context.privateDirectory)
    const files = [
      { name: fileNames.systemPrompt, content: systemPromptOf(params) },
      { name: fileNames.policy, content: policy }
    ].flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }]))
    const args = [
      ...value("model", "--model", params.model),
      ...value("permissionMode", "--approval-mode", approvalMode),
      ...each("allowedTools", "--policy", policies),
      ...each("additionalDirectories", "--include-directories", params.additionalDirectories),
      ...added.args,
      ...each("strictMcpServers", "--allowed-mcp-server-names", onlyServers(params))
    ]
    return { args, files: [...files, ...added.files], directories: [temporaryDirectory, ...added.directories] }
  })
