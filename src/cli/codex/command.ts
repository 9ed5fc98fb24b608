/**
 * Params → arguments, stdin, files and environment for `codex exec` (0.169.0); pure. Flags stand before `resume` and
 * `fork`, which lack some of them. The prompt is on stdin, where it is neither a flag nor a subcommand.
 */
import { Result } from "effect"
import { CommandLineTooLong, type FailureReason, InvalidParams } from "../../contract/AgentError.ts"
import type { AgentExecuteParams, PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { LoadedAttachment } from "../../contract/Attachment.ts"
import type { Argument, Plan, PlanContext, PlanFile } from "../../contract/Plan.ts"
import { effortProblem, extraArgsProblem } from "../supported.ts"
import { contradiction, looseArgument } from "./command/extraArgs.ts"
import { flags, keys } from "./command/flags.ts"
import { mcpPlan, mcpProblem } from "./command/mcp.ts"
import * as Toml from "./command/toml.ts"

/** `default` is the CLI's own default: read-only, or as the user has configured it or trusts the directory. */
const permissionModes: Readonly<Record<PermissionMode, ReadonlyArray<string>>> = {
  default: [],
  plan: [`${flags.sandbox[0]}=read-only`],
  "accept-edits": [`${flags.sandbox[0]}=workspace-write`],
  bypass: [flags.bypass[0]]
}

/** The CLI opens a thread, then refuses a longer prompt. It counts characters, of which a byte is at most one. */
const longestPrompt = 1_048_576
const longestArgumentPrompt = 10_000

/** Anything else is taken for a name; where no session has that name, the CLI silently starts a new one. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isTooLong = (prompt: string) => prompt.length > longestPrompt && Array.from(prompt).length > longestPrompt

const invalid = (option: string, problem: string) => new InvalidParams({ option, problem })

export const promptProblem = (prompt: string): FailureReason | undefined => {
  if (prompt.trim() === "") return invalid("prompt", "is empty")
  if (!isTooLong(prompt)) return undefined
  return new CommandLineTooLong({ option: "prompt", bytes: Buffer.byteLength(prompt), limitBytes: longestPrompt })
}

type Threaded = Pick<
  AgentExecuteParams,
  "sessionId" | "ephemeral" | "forkSession" | "mcpServers" | "extraArgs" | "effort"
>

/**
 * The first problem with the params of a run or a live session. `more`: further flags and keys that Reins sets
 * elsewhere.
 */
export const threadProblem = (params: Threaded, more?: ReadonlySet<string>): FailureReason | undefined => {
  const { sessionId, forkSession, mcpServers = {}, extraArgs = [] } = params
  if (sessionId !== undefined && !uuid.test(sessionId)) {
    return invalid("sessionId", `${JSON.stringify(sessionId)} is not a UUID`)
  }
  if (forkSession === true && sessionId === undefined)
    return invalid("forkSession", "needs sessionId, the session to fork")
  if (params.ephemeral === true && sessionId !== undefined)
    return invalid("ephemeral", "goes with a new session only, without sessionId")
  const effort = effortProblem("codex", params.effort)
  if (effort !== undefined) return effort
  const contradicting = contradiction(extraArgs, Object.keys(mcpServers), more)
  return extraArgsProblem(looseArgument(extraArgs), contradicting) ?? mcpProblem(mcpServers)
}

export const flag = (option: string, ...texts: ReadonlyArray<string>): ReadonlyArray<Argument> =>
  texts.map((text) => ({ option, text }))

const each = (option: string, name: string, input: ReadonlyArray<string> = []): ReadonlyArray<Argument> =>
  input.map((item) => ({ option, text: `${name}=${item}` }))

const value = (option: string, name: string, input: string | undefined): ReadonlyArray<Argument> =>
  each(option, name, input === undefined ? [] : [input])

/** `toml` is TOML already. */
export const setting = (option: string, key: string, toml: string): ReadonlyArray<Argument> =>
  flag(option, "-c", `${key}=${toml}`)

export const config = (option: string, key: string, input: string | undefined): ReadonlyArray<Argument> =>
  input === undefined ? [] : setting(option, key, Toml.text(input))

/**
 * Without the first two, a run that cannot reach these hosts ends late, and git is started in the background. Without
 * the third, a refused connection is retried for ever, with a line a minute, so that no watchdog would fire. Set by
 * `-c`, since `--disable` fails in a version that does not know the feature (before 0.148), which only warns of an
 * unknown key.
 */
export const switches = (option: string): ReadonlyArray<Argument> => [
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

/** A comma in a path is read as the end of it. */
const imageProblem = (directory: string, attachments: ReadonlyArray<LoadedAttachment>) =>
  attachments.length > 0 && directory.includes(",")
    ? invalid("env TMPDIR", `${JSON.stringify(directory)} has a comma: Codex would not find the attachments`)
    : undefined

const session = ({ sessionId, forkSession }: AgentExecuteParams): ReadonlyArray<Argument> => {
  if (sessionId === undefined) return []
  return forkSession === true ? flag("forkSession", "fork", sessionId) : flag("sessionId", "resume", sessionId)
}

export const plan = (
  params: AgentExecuteParams,
  options: AgentOptions,
  { privateDirectory, attachments = [] }: PlanContext
): Result.Result<Plan, FailureReason> => {
  const directory = `${privateDirectory}/${attachmentDirectory}`
  const problem = promptProblem(params.prompt) ?? threadProblem(params) ?? imageProblem(directory, attachments)
  if (problem !== undefined) return Result.fail(problem)
  const { prompt } = params
  // Even behind `--` a lone dash means stdin.
  const asArgument = options.promptVia === "argument" && prompt.length <= longestArgumentPrompt && prompt !== "-"
  const mcp = mcpPlan(params.mcpServers ?? {}, privateDirectory)
  const path = (input: unknown, name: string) => (input === undefined ? undefined : `${privateDirectory}/${name}`)
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
    ...flag("extraArgs", ...(params.extraArgs ?? [])),
    ...session(params),
    ...each(
      "attachments",
      flags.image[0],
      attachments.map(({ fileName }) => `${directory}/${fileName}`)
    ),
    ...(asArgument ? flag("prompt", flags.endOfFlags[0], prompt) : flag("prompt", flags.stdin[0]))
  ]
  const files = [...filesOf(params), ...mcp.files]
  const folder = attachments.length === 0 ? {} : { attachmentDirectory }
  return Result.succeed({ args, files, ...folder, stdin: asArgument ? "" : prompt, env: mcp.env })
}
