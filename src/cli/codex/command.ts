/**
 * Params → arguments, stdin, files and environment for `codex exec`, or for `codex app-server` of a live session (0.169.0);
 * pure. Flags come before `resume` and `fork`, which lack some of them. Prompts are on stdin, where they are neither flags nor
 * subcommands.
 */
import { Result } from "effect"
import { CommandLineTooLong, type FailureReason } from "../../contract/AgentError.ts"
import type { AgentExecuteParams, PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { LoadedAttachment } from "../../contract/Attachment.ts"
import type { Argument, PlanFile } from "../../contract/Plan.ts"
import type { Cli } from "../Cli.ts"
import { each, extra, flag, forkProblem, invalid, longestArgumentPrompt, value } from "../commandLine.ts"
import type { Live } from "../Live.ts"
import { effortProblem, extraArgsProblem } from "../supported.ts"
import { contradiction, looseArgument } from "./command/extraArgs.ts"
import { flags, keys, managedLive, tomlList, tomlText, workspaceWrite } from "./command/flags.ts"
import { mcpPlan, mcpProblem } from "./command/mcp.ts"

/** `default` is the CLI's own default: read-only, or as the user has configured it or trusts the directory. */
const permissionModes: Readonly<Record<PermissionMode, ReadonlyArray<string>>> = {
  default: [],
  plan: [`${flags.sandbox[0]}=read-only`],
  "accept-edits": [`${flags.sandbox[0]}=workspace-write`],
  bypass: [flags.bypass[0]]
}

/** In characters; the CLI opens a thread, then refuses a longer prompt. */
const longestPrompt = 1_048_576

/** Anything else is taken for a name; if no session has that name, the CLI silently starts a new one. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isTooLong = (prompt: string) => prompt.length > longestPrompt && Array.from(prompt).length > longestPrompt

export const promptProblem = (prompt: string): FailureReason | undefined => {
  if (prompt.trim() === "") return invalid("prompt", "is empty")
  if (!isTooLong(prompt)) return undefined
  return new CommandLineTooLong({ option: "prompt", bytes: Buffer.byteLength(prompt), limitBytes: longestPrompt })
}

type Threaded = Pick<
  AgentExecuteParams,
  "sessionId" | "ephemeral" | "forkSession" | "mcpServers" | "extraArgs" | "effort"
>

/** The first problem with the params of a run or a live session. `more`: further flags and keys that Reins sets. */
const threadProblem = (params: Threaded, more?: ReadonlySet<string>): FailureReason | undefined => {
  const { sessionId, mcpServers = {}, extraArgs = [] } = params
  if (sessionId !== undefined && !uuid.test(sessionId)) {
    return invalid("sessionId", `${JSON.stringify(sessionId)} is not a UUID`)
  }
  const fork = forkProblem(params)
  if (fork !== undefined) return fork
  if (params.ephemeral === true && sessionId !== undefined)
    return invalid("ephemeral", "goes with a new session only, without sessionId")
  const contradicting = contradiction(extraArgs, Object.keys(mcpServers), more)
  return (
    effortProblem("codex", params.effort) ??
    extraArgsProblem(looseArgument(extraArgs), contradicting) ??
    mcpProblem(mcpServers)
  )
}

/** `toml` is TOML already. */
const setting = (option: string, key: string, toml: string): ReadonlyArray<Argument> =>
  flag(option, "-c", `${key}=${toml}`)

const config = (option: string, key: string, input: string | undefined): ReadonlyArray<Argument> =>
  input === undefined ? [] : setting(option, key, tomlText(input))

/**
 * Without the first two, a run that cannot reach these hosts ends late, and git is started in the background. Without the
 * third, a refused connection is retried for ever, with a line a minute, so that no watchdog would fire. `--disable` would
 * fail in versions before 0.148, which only warn of an unknown key.
 */
const switches = (option: string): ReadonlyArray<Argument> => [
  ...setting(option, keys.analytics, "false"),
  ...setting(option, keys.plugins, "false"),
  ...setting(option, keys.endlessRetries, "false")
]

const always: ReadonlyArray<Argument> = [
  ...flag("print", "exec", flags.json[0]),
  ...switches("print"),
  ...flag("print", flags.skipGitCheck[0])
]

const fileNames = { systemPrompt: "system-prompt.md", outputSchema: "output-schema.json" }

const filesOf = ({ systemPrompt, outputSchema }: AgentExecuteParams): ReadonlyArray<PlanFile> => [
  ...(systemPrompt === undefined ? [] : [{ name: fileNames.systemPrompt, content: systemPrompt }]),
  ...(outputSchema === undefined ? [] : [{ name: fileNames.outputSchema, content: JSON.stringify(outputSchema) }])
]

const attachmentDirectory = "images"

/** A comma is read as the end of a path. */
const imageProblem = (directory: string, attachments: ReadonlyArray<LoadedAttachment>) =>
  attachments.length > 0 && directory.includes(",")
    ? invalid("env TMPDIR", `${JSON.stringify(directory)} has a comma: Codex would not find the attachments`)
    : undefined

const session = ({ sessionId, forkSession }: AgentExecuteParams): ReadonlyArray<Argument> => {
  if (sessionId === undefined) return []
  return forkSession === true ? flag("forkSession", "fork", sessionId) : flag("sessionId", "resume", sessionId)
}

export const plan: Cli["plan"] = (params, options, { privateDirectory, attachments = [] }) => {
  const directory = `${privateDirectory}/${attachmentDirectory}`
  const problem = promptProblem(params.prompt) ?? threadProblem(params) ?? imageProblem(directory, attachments)
  if (problem !== undefined) return Result.fail(problem)
  const { prompt } = params
  // Even behind `--` a lone dash means stdin.
  const asArgument = options.promptVia === "argument" && prompt.length <= longestArgumentPrompt && prompt !== "-"
  const mcp = mcpPlan(params.mcpServers ?? {}, privateDirectory)
  const path = (input: unknown, name: string) => (input === undefined ? undefined : `${privateDirectory}/${name}`)
  const images = attachments.map(({ fileName }) => `${directory}/${fileName}`)
  const args = [
    ...always,
    ...(params.ephemeral === true ? flag("ephemeral", flags.ephemeral[0]) : []),
    ...value("model", flags.model[0], params.model),
    ...config("effort", keys.effort, params.effort),
    ...flag("permissionMode", ...permissionModes[params.permissionMode ?? "default"]),
    ...config("systemPrompt", keys.systemPrompt, path(params.systemPrompt, fileNames.systemPrompt)),
    ...config("appendSystemPrompt", keys.appendSystemPrompt, params.appendSystemPrompt),
    ...value("outputSchema", flags.outputSchema[0], path(params.outputSchema, fileNames.outputSchema)),
    ...each("additionalDirectories", flags.additionalDirectory[0], params.additionalDirectories),
    ...mcp.config.flatMap((text) => flag("mcpServers", "-c", text)),
    ...extra(params),
    ...session(params),
    ...each("attachments", flags.image[0], images),
    ...(asArgument ? flag("prompt", flags.endOfFlags[0], prompt) : flag("prompt", flags.stdin[0]))
  ]
  const files = [...filesOf(params), ...mcp.files]
  const folder = attachments.length === 0 ? {} : { attachmentDirectory }
  return Result.succeed({ args, files, ...folder, stdin: asArgument ? "" : prompt, env: mcp.env })
}

/** The tool is always there, but in the default mode it refuses; the second keeps Codex from warning of it. */
const asking = [
  ...setting("questions", "features.default_mode_request_user_input", "true"),
  ...setting("questions", "suppress_unstable_features_warning", "true")
]

const writable = (directories: ReadonlyArray<string> = []) =>
  directories.length === 0
    ? []
    : setting("additionalDirectories", `${workspaceWrite}.writable_roots`, tomlList(directories))

/** Settings that only the command line has, or that a resumed thread would forget; the others are in the dialogue. */
export const livePlan: Live["plan"] = (params, _options, { privateDirectory }) => {
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
    ...extra(params)
  ]
  return Result.succeed({ args, files: mcp.files, env: mcp.env })
}
