/**
 * Params → arguments, stdin and files for `pi --mode json`, or for `pi --mode rpc` of a live session (1.6.0); pure. Pi never
 * asks before it acts: its only limit is the list of its tools.
 */
import { Result } from "effect"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentExecuteParams, PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { PlanContext, PlanFile } from "../../contract/Plan.ts"
import type { Argument, Cli } from "../Cli.ts"
import { extra, flag, forkProblem, invalid, zeroWidth } from "../commandLine.ts"
import type { Live } from "../Live.ts"
import { effortProblem, extraArgsProblem } from "../supported.ts"

type Params = Omit<AgentExecuteParams, "prompt">

const attachmentDirectory = "attachments"

/**
 * Tools that change nothing and start nothing. Extensions are programs that could replace them: `plan` has none, and so no MCP
 * server, which one of them would start. Offline, since Pi would install packages that `.pi/settings.json` of a directory that
 * is trusted names, by the command that it names.
 */
const planArguments = ["--tools", "read,grep,find,ls", "--no-extensions", "--offline"]

/** Set by Reins, or breaking the output. Pi knows no `--flag=value`. */
const managed: ReadonlySet<string> = new Set([
  "--", "--mode", "-p", "--print", "--session", "--fork", "-c", "--continue", "-r", "--resume", "--no-session", "--model",
  "--thinking", "--system-prompt", "--append-system-prompt", "--export", "--list-models", "-h", "--help", "-v",
  "--version", "--session-id", "-a", "--approve", "-na", "--no-approve"
]) // biome-ignore format: one list

/** With these a plan would not be what it says. */
const managedInPlan: ReadonlySet<string> = new Set([
  "-t", "--tools", "-nt", "--no-tools", "-nbt", "--no-builtin-tools", "-e", "--extension", "-ne", "--no-extensions"
]) // biome-ignore format: one list

const contradictionOf = ({ extraArgs = [], permissionMode }: Params) =>
  extraArgs.find((argument) => managed.has(argument) || (permissionMode === "plan" && managedInPlan.has(argument)))

/** A mode whose promise is to ask before an action. */
const asks: ReadonlySet<PermissionMode | undefined> = new Set(["default", "accept-edits"])

const modeProblem = (mode: PermissionMode | undefined): string | undefined =>
  asks.has(mode)
    ? `Pi never asks before it acts, so it cannot keep "${mode}": use "plan", which can only read, or "bypass"`
    : undefined

/** Anything else could be the path of a file, or the beginning of another session's id. */
const sessionId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const problemOf = (params: Params): FailureReason | undefined => {
  const { sessionId: id, model, permissionMode } = params
  if (id !== undefined && !sessionId.test(id)) {
    return invalid("sessionId", `${JSON.stringify(id.slice(0, 100))} is not the id of a session`)
  }
  const mode = modeProblem(permissionMode)
  if (mode !== undefined) return invalid("permissionMode", mode)
  if (model?.trim() === "") return invalid("model", "is empty")
  return (
    forkProblem(params) ?? effortProblem("pi", params.effort) ?? extraArgsProblem(undefined, contradictionOf(params))
  )
}

/** A prompt of blanks would be no prompt at all. */
export const promptProblem = (prompt: string): FailureReason | undefined =>
  prompt.trim() === "" ? invalid("prompt", "is empty") : undefined

/**
 * A leading `/` would be a command of an extension, a skill or a template; behind a character that is not seen it is text. A
 * blank would not do: Pi cuts blanks off its stdin.
 */
export const disarmed = (prompt: string, slashCommands: boolean | undefined): string =>
  slashCommands !== true && /^\s*\//.test(prompt) ? `${zeroWidth}${prompt}` : prompt

/** Prompts are given as files, which Pi reads: an argument can be seen by others, and is limited in length. */
const promptFiles = ({ systemPrompt, appendSystemPrompt }: Params, { privateDirectory }: PlanContext) => {
  const files: ReadonlyArray<PlanFile & { readonly flag: string; readonly option: string }> = [
    // An empty one would leave Pi's own in effect.
    { name: "system-prompt.md", content: systemPrompt || " ", flag: "--system-prompt", option: "systemPrompt" },
    {
      name: "append-system-prompt.md",
      content: appendSystemPrompt ?? "",
      flag: "--append-system-prompt",
      option: "appendSystemPrompt"
    }
  ]
  const isWanted = [systemPrompt !== undefined, Boolean(appendSystemPrompt?.trim())]
  const present = files.filter((_, index) => isWanted[index])
  return {
    args: present.flatMap(({ option, flag: name, name: file }) => flag(option, name, `${privateDirectory}/${file}`)),
    files: present.map(({ name, content }) => ({ name, content }))
  }
}

const value = (option: string, name: string, input: string | undefined): ReadonlyArray<Argument> =>
  input === undefined ? [] : flag(option, name, input)

/** Undecided, Pi does as the user's settings say: without such, it trusts no directory where it cannot ask. */
const trust = (isTrusted: boolean | undefined): ReadonlyArray<Argument> =>
  isTrusted === undefined ? [] : flag("trustWorkspace", isTrusted ? "--approve" : "--no-approve")

const argumentsOf = (params: Params): ReadonlyArray<Argument> => [
  ...value("sessionId", params.forkSession === true ? "--fork" : "--session", params.sessionId),
  ...(params.ephemeral === true ? flag("ephemeral", "--no-session") : []),
  ...value("model", "--model", params.model),
  ...value("effort", "--thinking", params.effort),
  ...trust(params.trustWorkspace),
  ...(params.permissionMode === "plan" ? flag("permissionMode", ...planArguments) : []),
  ...extra(params)
]

export const plan: Cli["plan"] = (params, _options, context) => {
  const problem = promptProblem(params.prompt) ?? problemOf(params)
  if (problem !== undefined) return Result.fail(problem)
  const { privateDirectory, attachments = [] } = context
  const prompts = promptFiles(params, context)
  return Result.succeed({
    args: [
      ...flag("print", "--mode", "json"),
      ...prompts.args,
      ...argumentsOf(params),
      ...attachments.flatMap(({ fileName }) =>
        flag("attachments", `@${privateDirectory}/${attachmentDirectory}/${fileName}`)
      ),
      // The last one: it takes a word behind it for a prompt.
      ...flag("print", "-p")
    ],
    files: prompts.files,
    ...(attachments.length === 0 ? {} : { attachmentDirectory }),
    // As an argument, a prompt that begins with "@" would be a file, and one that begins with "-" a flag.
    stdin: disarmed(params.prompt, params.slashCommands),
    env: {}
  })
}

export const livePlan: Live["plan"] = (params, _options, context) => {
  const problem = problemOf(params)
  if (problem !== undefined) return Result.fail(problem)
  const prompts = promptFiles(params, context)
  return Result.succeed({
    args: [...flag("live session", "--mode", "rpc"), ...prompts.args, ...argumentsOf(params)],
    files: prompts.files,
    env: {}
  })
}
