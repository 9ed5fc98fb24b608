/**
 * Params → arguments, stdin, environment and files for `opencode run` (1.18.33); pure. There are few flags: the rest goes
 * into the CLI's configuration in the environment, prompts and secrets into files that it names.
 */
import { Result } from "effect"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentExecuteParams, McpServer } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { Argument, Plan, PlanContext, PlanFile } from "../../contract/Plan.ts"
import { type MaybeSecret, reveal } from "../../contract/Redacted.ts"
import { contentOf, type JsonObject, literal, merge, parseVariable, printConfig } from "./command/config.ts"
import { rulesOf } from "./command/permissions.ts"
import { contradictionOf, problemOf, problemOfPrompt } from "./command/problems.ts"

const longestArgumentPrompt = 10_000

/** Not the prompt: a title is shown to others. With one OpenCode does not ask the model for it. */
const title = "reins"

const attachmentDirectory = "attachments"

const slashCommand = /^\/(\S+)\s*(.*)$/s

export const flag = (option: string, text: string): ReadonlyArray<Argument> => [{ option, text }]

const value = (option: string, name: string, input: string | undefined): ReadonlyArray<Argument> =>
  input === undefined ? [] : [{ option, text: `${name}=${input}` }]

/** The agents that can do something by themselves or for another; rules of an agent win over those for all. */
const agents = ["build", "plan", "general", "explore"]

const agentFor = ({ permissionMode, systemPrompt }: AgentExecuteParams) => {
  if (permissionMode === "plan") return "plan"
  return systemPrompt === undefined ? undefined : "build"
}

/** A file of the run, and where it will be. */
interface Kept {
  readonly file: PlanFile
  readonly path: string
}

export type Keep = (name: string, content: string) => Kept

export interface Parts {
  readonly config: JsonObject
  readonly files: ReadonlyArray<PlanFile>
}

export const promptParts = (
  { systemPrompt, appendSystemPrompt }: Pick<AgentExecuteParams, "systemPrompt" | "appendSystemPrompt">,
  names: ReadonlyArray<string>,
  keep: Keep
): Parts => {
  const own = systemPrompt?.trim() ? keep("system-prompt.md", systemPrompt) : undefined
  const more = appendSystemPrompt?.trim() ? keep("append-system-prompt.md", appendSystemPrompt) : undefined
  // An empty prompt would leave the CLI's own in force.
  const prompt = own === undefined ? " " : contentOf(own.path, own.file.content)
  return {
    config: {
      ...(systemPrompt === undefined ? {} : { agent: Object.fromEntries(names.map((name) => [name, { prompt }])) }),
      ...(more === undefined ? {} : { instructions: [more.path] })
    },
    files: [own, more].flatMap((each) => (each === undefined ? [] : [each.file]))
  }
}

/** Values of variables and headers are in files: the configuration is in the environment of every tool. */
const mcpParts = (servers: Readonly<Record<string, McpServer>>, keep: Keep): Parts => {
  const files: Array<PlanFile> = []
  const secret = (input: MaybeSecret) => {
    const { file, path } = keep(`mcp-${files.length}.txt`, reveal(input))
    files.push(file)
    return contentOf(path, file.content)
  }
  const secrets = (values: Readonly<Record<string, MaybeSecret>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([name, input]) => [literal(name), secret(input)]))
  const mcp = Object.entries(servers).map(([name, server]) => [
    literal(name),
    "url" in server
      ? { type: "remote", url: literal(server.url), headers: secrets(server.headers), enabled: true }
      : {
          type: "local",
          command: [server.command, ...(server.args ?? [])].map(literal),
          environment: secrets(server.env),
          enabled: true
        }
  ])
  return { config: mcp.length === 0 ? {} : { mcp: Object.fromEntries(mcp) }, files }
}

/** The first leaves the skills in `.claude` and `.agents`; the second takes those of the user away, too. */
export const untrusted = { OPENCODE_DISABLE_PROJECT_CONFIG: "1", OPENCODE_DISABLE_EXTERNAL_SKILLS: "1" }

const isEmpty = (object: JsonObject) => Object.keys(object).length === 0

export const plan = (
  params: AgentExecuteParams,
  options: AgentOptions,
  { env, workingDirectory, privateDirectory, attachments = [] }: PlanContext
): Result.Result<Plan, FailureReason> =>
  Result.gen(function* () {
    const agent = agentFor(params)
    const problem = problemOfPrompt(params.prompt) ?? problemOf(params, contradictionOf(params, agent))
    if (problem !== undefined) return yield* Result.fail(problem)
    const callersConfig = yield* parseVariable("OPENCODE_CONFIG_CONTENT", env["OPENCODE_CONFIG_CONTENT"])
    const callersRules = yield* parseVariable("OPENCODE_PERMISSION", env["OPENCODE_PERMISSION"])
    const keep: Keep = (name, content) => ({ file: { name, content }, path: `${privateDirectory}/${name}` })
    const prompts = promptParts(params, [agent ?? "build"], keep)
    const servers = mcpParts(params.mcpServers ?? {}, keep)
    const rules = rulesOf(params, workingDirectory)
    const permissions = isEmpty(rules)
      ? {}
      : { agent: Object.fromEntries(agents.map((name) => [name, { permission: rules }])) }
    const config = [prompts.config, servers.config, permissions].reduce(merge, {})
    const command = params.slashCommands === true ? slashCommand.exec(params.prompt) : null
    const prompt = command?.[2] ?? params.prompt
    const asArgument = options.promptVia === "argument" && prompt.length <= longestArgumentPrompt
    const args = [
      ...flag("print", "run"),
      ...value("print", "--format", "json"),
      ...flag("print", "--thinking"),
      // In front of another flag: this one takes all values that follow it.
      ...attachments.flatMap(({ fileName }) =>
        value("attachments", "--file", `${privateDirectory}/${attachmentDirectory}/${fileName}`)
      ),
      ...value("workingDirectory", "--dir", workingDirectory),
      ...(params.sessionId === undefined ? value("title", "--title", title) : []),
      ...value("sessionId", "--session", params.sessionId),
      ...(params.forkSession === true ? flag("forkSession", "--fork") : []),
      ...value("model", "--model", params.model),
      ...value("effort", "--variant", params.effort),
      ...value(params.permissionMode === "plan" ? "permissionMode" : "systemPrompt", "--agent", agent),
      ...(params.permissionMode === "bypass" ? flag("permissionMode", "--auto") : []),
      ...value("slashCommands", "--command", command?.[1]),
      ...(params.extraArgs ?? []).map((text) => ({ option: "extraArgs", text })),
      // An argument with a blank in it would be quoted; the CLI joins several with one.
      ...(asArgument ? [...flag("prompt", "--"), ...prompt.split(" ").flatMap((word) => flag("prompt", word))] : [])
    ]
    return {
      args,
      files: [...prompts.files, ...servers.files],
      ...(attachments.length === 0 ? {} : { attachmentDirectory }),
      stdin: asArgument ? "" : prompt,
      env: {
        ...(isEmpty(config) ? {} : { OPENCODE_CONFIG_CONTENT: printConfig(merge(callersConfig, config)) }),
        ...(isEmpty(rules) ? {} : { OPENCODE_PERMISSION: JSON.stringify(merge(callersRules, rules)) }),
        ...(params.trustWorkspace === false ? untrusted : {})
      }
    }
  })
