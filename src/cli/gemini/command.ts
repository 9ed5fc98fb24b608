/**
 * Params → arguments, stdin, files and environment for one headless run of `gemini` (0.61.0); pure. Options without a
 * flag go into the settings.
 */
import { Result } from "effect"
import { type FailureReason, InvalidParams } from "../../contract/AgentError.ts"
import type { AgentExecuteParams, PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { Argument, Plan, PlanContext } from "../../contract/Plan.ts"
import { mcpPlan } from "./command/mcp.ts"
import { isListItem, problemOf } from "./command/refusals.ts"
import { type Common, commonOf, environmentOf, settingsOf, temporaryDirectory, value } from "./command/surroundings.ts"

interface Attached {
  readonly args: ReadonlyArray<Argument>
  /** To follow the prompt. */
  readonly references: string
  readonly plan: Pick<Plan, "attachmentDirectory">
  readonly problem?: FailureReason
}

const name = "attachments"

/** In a path behind `@`. */
const escaped = (path: string) => path.replace(/[\x20-\x2c:-@[-^`{-~]/g, "\\$&")

/**
 * Attachments of one headless run of `gemini` (0.61.0), which knows files only by `@path` in the prompt, inside its
 * workspace: copies in a directory that is added to it. It shows the model images without names and in the order of
 * their names, which is that of the attachments; so are the paths behind the prompt. Pure.
 */
const attached = ({ privateDirectory, attachments = [] }: PlanContext): Attached => {
  if (attachments.length === 0) return { args: [], references: "", plan: {} }
  const directory = `${privateDirectory}/${name}`
  const paths = attachments.map(({ fileName }) => `@${escaped(`${directory}/${fileName}`)}`)
  const isPlain = isListItem(directory) && !/[\n\r*?[\]{}\\]/.test(directory)
  const problem = `${JSON.stringify(directory)} has a comma, a wildcard or a line break: the CLI would not find attachments`
  return {
    args: [{ option: "attachments", text: `--include-directories=${directory}` }],
    references: `\n\n${paths.join("\n")}`,
    plan: { attachmentDirectory: name },
    ...(isPlain ? {} : { problem: new InvalidParams({ option: "env TMPDIR", problem }) })
  }
}

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
