/** Params → arguments, stdin, files, settings and environment of a run or live session of `gemini` (0.61.0); pure. */
import { Redacted, Result } from "effect"
import type { FailureReason, InvalidParams } from "../../contract/AgentError.ts"
import type { AgentExecuteParams, McpServer, PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { Argument, Plan, PlanContext, PlanFile } from "../../contract/Plan.ts"
import { type MaybeSecret, reveal } from "../../contract/Redacted.ts"
import type { Cli } from "../Cli.ts"
import { extra, flag, invalid, longestArgumentPrompt, value } from "../commandLine.ts"
import { firstOf } from "../jsonFields.ts"
import type { Live } from "../Live.ts"
import { boundaryOf, type PlanParts } from "./command/addedContext.ts"
import { mcpPlan, mcpProblemOf } from "./command/mcp.ts"
import { isListItem, liveProblemOf, problemOf } from "./command/refusals.ts"
import { commonOf, environmentOf, settingsOf } from "./command/surroundings.ts"

interface Attached {
  readonly args: ReadonlyArray<Argument>
  /** Appended to the prompt. */
  readonly references: string
  readonly files: ReadonlyArray<PlanFile>
  readonly plan: Pick<Plan, "attachmentDirectory">
  readonly problem?: FailureReason
}

const name = "attachments"

/** For a path after `@`. */
const escaped = (path: string) => path.replace(/[\x20-\x2c:-@[-^`{-~]/g, "\\$&")

/**
 * A run knows files only by `@path` in the prompt, inside its workspace: copies in a directory that is added to it. The model
 * sees images without names, in the order of their names, which is that of the attachments and of the paths.
 */
const attached = ({ privateDirectory, attachments = [] }: PlanContext): Attached => {
  if (attachments.length === 0) return { args: [], references: "", files: [], plan: {} }
  const directory = `${privateDirectory}/${name}`
  const paths = attachments.map(({ fileName }) => `@${escaped(`${directory}/${fileName}`)}`)
  const isPlain = isListItem(directory) && !/[\n\r*?[\]{}\\]/.test(directory)
  const problem = `${JSON.stringify(directory)} has a comma, a wildcard or a line break: the CLI would not find attachments`
  return {
    args: value("attachments", "--include-directories", directory),
    references: `\n\n${paths.join("\n")}`,
    files: [boundaryOf(name)],
    plan: { attachmentDirectory: name },
    ...(isPlain ? {} : { problem: invalid("env TMPDIR", problem) })
  }
}

const approvalModes: Readonly<Record<PermissionMode, string | undefined>> = {
  default: undefined,
  plan: "plan",
  "accept-edits": "auto_edit",
  bypass: "yolo"
}

/** A leading `/` would run a command of the CLI; after a blank it is text. `@path` cannot be switched off. */
const disarm = (prompt: string) => (prompt.startsWith("/") ? ` ${prompt}` : prompt)

const argumentsOf = (params: AgentExecuteParams, common: PlanParts): ReadonlyArray<Argument> => [
  ...value("outputFormat", "--output-format", "stream-json"),
  ...common.args,
  ...value("sessionId", "--resume", params.sessionId),
  ...value("newSessionId", "--session-id", params.newSessionId),
  ...(params.trustWorkspace === false ? flag("trustWorkspace", "--skip-trust") : []),
  ...extra(params)
]

export const plan: Cli["plan"] = (params, options, context) =>
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
      files: [...common.files, ...files.files],
      directories: common.directories,
      ...files.plan,
      ...(settings === undefined ? {} : { settings }),
      stdin: asArgument ? "" : named,
      env: { ...environmentOf(params, options, context), ...mcp.env }
    }
  })

/** Without the flag, the user's own settings can switch approvals off. */
const liveModes: Readonly<Record<PermissionMode, string>> = {
  default: "default",
  plan: "plan",
  "accept-edits": "auto_edit",
  bypass: "yolo"
}

/** MCP servers and the session to resume are in the dialogue: the CLI has no flags for them there. */
export const livePlan: Live["plan"] = (params, options, context) =>
  Result.gen(function* () {
    const problem = liveProblemOf(params) ?? serverProblemOf(params) ?? toolProblemOf(params)
    if (problem !== undefined) return yield* Result.fail(problem)
    const mode = params.permissionMode && liveModes[params.permissionMode]
    const { args, files, directories } = yield* commonOf(params, context, mode)
    const settings = settingsOf(params, {})
    return {
      args: [...flag("live session", "--acp"), ...args, ...extra(params)],
      files,
      directories,
      ...(settings === undefined ? {} : { settings }),
      // Output of a shell command reaches the protocol from a pipe, but not from a terminal.
      env: { ...environmentOf(params, options, context), GEMINI_PTY_INFO: "child_process" }
    }
  })

const serverProblemOf = ({ mcpServers = {} }: AgentOpenParams): InvalidParams | undefined => {
  const problem = firstOf(Object.entries(mcpServers).map(([name, server]) => mcpProblemOf(name, server)))
  return problem === undefined ? undefined : invalid("mcpServers", problem)
}

/** Tools of any server that are hidden from the model: the first two in every mode, the last in `bypass`. */
const leftOut = ["ask_user", "exit_plan_mode", "enter_plan_mode"]

const toolProblemOf = ({ tools = [] }: AgentOpenParams): InvalidParams | undefined => {
  const tool = tools.find(({ name }) => leftOut.includes(name))
  if (tool === undefined) return undefined
  const problem = `Gemini CLI would not offer its model a tool that is called "${tool.name}"; use another name`
  return invalid("tools", problem)
}

/** The CLI replaces `$NAME`, unless a backslash precedes it. */
const plain = (values: Readonly<Record<string, MaybeSecret>> = {}) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Redacted.make(reveal(value).replaceAll("$", "\\$"))])
  )

/** The servers in the form of the dialogue. */
export const sessionServers = ({ mcpServers = {} }: AgentOpenParams): Readonly<Record<string, McpServer>> =>
  Object.fromEntries(
    Object.entries(mcpServers).map(([name, server]) => [
      name,
      "url" in server ? { ...server, headers: plain(server.headers) } : { ...server, env: plain(server.env) }
    ])
  )
